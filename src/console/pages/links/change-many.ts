import { LinkgateProblem } from 'linkgate/client'

import { isObject } from '../../../domain/is-object.js'
import { chunksOf } from '../../parts/chunks.js'
import { textIn } from '../../parts/narrow.js'

/** The service's result for one item. */
interface ItemResult {
  readonly index: number
  readonly status: number
  readonly problem?: Readonly<Record<string, unknown>> | undefined
}

interface ManyChanged<Result> {
  readonly done: readonly Result[]
  readonly refused: readonly Result[]
  /** why the items without a result were not sent, or got no response; null if every item has a result */
  readonly problem: LinkgateProblem | null
}

/** Sends items in as few requests as possible, in order. An error stops it; the results before it are kept. */
export const changeMany = async <Item extends object, Result extends ItemResult>(
  items: readonly Item[],
  send: (part: Item[]) => Promise<{ readonly results: readonly Result[] }>,
): Promise<ManyChanged<Result>> => {
  const results: Result[] = []
  let problem: LinkgateProblem | null = null
  let sent = 0
  for (const chunk of chunksOf(items.map((item) => ({ item })))) {
    const before = sent
    try {
      const part = await send(chunk.map(({ item }) => item))
      results.push(...part.results.map((result) => ({ ...result, index: result.index + before })))
    } catch (error) {
      if (!(error instanceof LinkgateProblem)) throw error
      problem = error
      break
    }
    sent += chunk.length
  }
  const isDone = ({ status }: Result) => status < 300
  return { done: results.filter(isDone), refused: results.filter((each) => !isDone(each)), problem }
}

/** The problem of a refused item, like that of a request. */
export const problemOf = ({ status, problem = {} }: ItemResult): LinkgateProblem => {
  const { code, title, detail, rule, errors } = problem
  const faults = (Array.isArray(errors) ? errors : []).filter(isObject)
  const document = {
    status,
    code: textIn(code) ?? 'unexpected_answer',
    title: textIn(title) ?? '',
    detail: textIn(detail) ?? undefined,
    rule: textIn(rule) ?? undefined,
    errors: faults.map(({ field, message }) => ({ field: textIn(field) ?? '', message: textIn(message) ?? '' })),
  }
  return new LinkgateProblem(document, {})
}
