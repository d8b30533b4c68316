import { LinkgateProblem, api, type ManyLinks, type NewLink } from '../../api'
import { wait } from '../../parts/pause'
import { userId } from '../../session'
import type { ImportService, Wanted } from './import-job.js'
import { outcomeOf } from './outcome.js'
import type { Item } from './rows.js'

/** How many links of others are looked up, one by one. */
const MOST_LOOKED_AT = 50

/** The values of a file may have any type: the service reports the faults. */
const creationOf = (items: readonly Item[]): ManyLinks => ({
  operation: 'create',
  items: JSON.parse(JSON.stringify(items)),
})

export const importService: ImportService = {
  tryAll: async (items, signal) =>
    (await api.changeManyLinks(creationOf(items), { query: { dry_run: true }, signal })).results,
  makeAll: async (items) => (await api.changeManyLinks(creationOf(items))).results,
  makeOne: async (item) => {
    try {
      const link: NewLink = JSON.parse(JSON.stringify(item))
      return { is: 'made', url: (await api.createLink(link)).url }
    } catch (error) {
      // a fault of this link only; any other error affects the others, too
      if (error instanceof LinkgateProblem && (error.status === 422 || error.code === 'code_taken'))
        return outcomeOf({ index: 0, status: error.status, problem: error.document })
      throw error
    }
  },
  known: async (wanted, signal) => {
    const known = await amongManaged(wanted, signal)
    const others = [...wanted.codes].filter((code) => !known.byCode.has(code))
    for (const code of others.slice(0, MOST_LOOKED_AT)) known.byCode.set(code, await targetOf(code, signal))
    return known
  },
  wait: (seconds, signal) => wait(seconds * 1_000, signal),
}

/** Searches the links that the caller may change, by streaming all of them and keeping only matches. */
const amongManaged = async ({ codes, targets }: Wanted, signal: AbortSignal) => {
  const byCode = new Map<string, string | null>()
  const ownTargets = new Set<string>()
  for await (const { code, target, owner_id: owner } of api.exportLinks({ format: 'ndjson' }, { signal })) {
    if (codes.has(code)) byCode.set(code, target)
    if (targets.has(target) && owner === userId()) ownTargets.add(target)
  }
  return { byCode, ownTargets }
}

/** The target of somebody else's link; null if it is not public. */
const targetOf = async (code: string, signal: AbortSignal): Promise<string | null> => {
  try {
    return (await api.getLink(code, { signal })).target ?? null
  } catch (error) {
    if (error instanceof LinkgateProblem && [403, 404, 410].includes(error.status)) return null
    throw error
  }
}
