import { LinkgateProblem } from 'linkgate/client'

import { chunksOf } from '../../parts/chunks.js'

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
