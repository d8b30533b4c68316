import { setTimeout as delay } from 'node:timers/promises'

import type { Knex } from 'knex'

import { DecisionOutdated, refusalOfOutdated } from '../../database/errors.js'
import { LINK_ROW, toLink, type LinkRow } from '../../database/link-row.js'
import type { Statement } from '../../database/statement.js'
import type { Decision } from '../../domain/decision.js'
import type { Id } from '../../domain/id.js'
import type { Link } from '../../domain/link.js'
import { pauseEvery } from '../../domain/pause-every.js'
import { Refusal } from '../../domain/refusal.js'
import type { DataRule } from '../rules.js'
import { bind, handOver, reachOf, type Binding } from './context.js'
import {
  asStatement,
  deletionOf,
  exactly,
  rowOf,
  transferOf,
  updateOf,
  type LinkChanges,
  type LinksStoreParts,
  type NewLink,
} from './links.js'
import { LINK_ROLES, refuseFields } from './link-rows.js'
import { knex, ownedRows, prepared } from './query.js'
import { restorationOf } from './trash.js'

interface Creation {
  readonly operation: 'create'
  readonly decision: Decision
  readonly link: NewLink & { readonly code: string }
}

interface Change {
  readonly operation: 'update' | 'delete' | 'transfer' | 'restore'
  readonly decision: Decision
  /** the record that was decided about */
  readonly record: Link
  /** for an update; a restoration uses only the code */
  readonly changes: LinkChanges
  /** the new owner, for a transfer */
  readonly owner: Id | null
  /** the version that the record must still have at the commit; undefined: any */
  readonly version: number | undefined
}

/** One item of a bulk request, with the decision that allowed it. */
export type BulkItem = Creation | Change

/** `all`: an item that cannot be done aborts the transaction. `each`: the transaction goes on without it. */
type Mode = 'all' | 'each'

/** The result of an item: the link (for a deletion, as it was before), or why the item was not done. */
type Outcome = Link | Refusal
type Done = readonly [BulkItem, Outcome]
type Outcomes = ReadonlyMap<BulkItem, Outcome>

export interface BulkLinks {
  /** Does all items in one transaction, or none. Throws `code_taken` (409) and RecordChanged. */
  all(items: readonly BulkItem[]): Promise<Outcomes>
  /** Does each item that can be done, in as few transactions as possible. */
  each(items: readonly BulkItem[]): Promise<Outcomes>
}

/**
 * The data layer of bulk requests: one transaction for many items of the same operation, and a decision record for each
 * of them (docs/decisions/0008).
 */
export const bulkLinksStore = ({
  database,
  changed,
  keepsTrash,
}: Omit<LinksStoreParts, 'searches'>): DataRule<BulkLinks> => ({
  rows: 'links with which the caller may do what each item asks for',
  open: (context) => {
    /**
     * Creates all links in one statement. A taken code aborts it in the mode `all`, and is skipped in the mode `each`.
     */
    const create = async (items: readonly Creation[], mode: Mode): Promise<readonly Done[]> => {
      const [first] = items
      if (first === undefined) return []
      const binding = bind(context, 'own', LINK_ROLES)
      const insert = ownedRows('links', binding).insertAll(
        items.map(({ link }) => rowOf(link)),
        { onConflict: mode === 'each' ? 'on conflict (code) do nothing' : '', returning: LINK_ROW },
      )
      const decided = handOver({ ...context, decision: first.decision, status: STATUS.create })
      const statements = [binding.enterChange(), decided, prepared(insert)]
      const results = await database.flush(statements, binding.deadline).catch(refuseFields)
      const rows: readonly LinkRow[] = results[2]?.rows ?? []
      const links = new Map(rows.map((row) => [row.code, toLink(row)]))
      for (const code of links.keys()) changed(code)
      return items.map((item) => [item, links.get(item.link.code) ?? codeTaken('is taken')])
    }

    const statementOf = (item: Change, binding: Binding, mode: Mode): Statement => {
      const { operation, record, version, changes, owner } = item
      if (operation === 'restore') {
        const deleted = ownedRows('deleted_links', binding)
        return prepared(answer(restorationOf(deleted, record, changes.code), mode))
      }
      const row = exactly(ownedRows('links', binding), record, version)
      if (operation === 'update') return asStatement(changes)(answer(knex.with('done', updateOf(row, changes)), mode))
      return prepared(answer(owner === null ? deletionOf(row, keepsTrash) : transferOf(row, owner), mode))
    }

    const change = async (items: readonly Change[], mode: Mode): Promise<readonly Done[]> => {
      const [first] = items
      if (first === undefined) return []
      const binding = bind(context, reachOf(context, ACTION_OF[first.operation]), LINK_ROLES)
      const statements = [binding.enterChange()]
      const places: number[] = []
      const pause = pauseEvery(AT_ONCE)
      let decided: Decision | undefined
      for (const item of items) {
        // each record has its own decision, but consecutive items often share one
        const { decision, operation } = item
        if (decision !== decided) statements.push(handOver({ ...context, decision, status: STATUS[operation] }))
        decided = decision
        places.push(statements.push(statementOf(item, binding, mode)) - 1)
        await pause()
      }
      const results = await database.flush(statements, binding.deadline).catch(refuseFields)
      return items.map((item, i) => {
        const { operation, record, version } = item
        const row: LinkRow | undefined = results[places[i] ?? 0]?.rows[0]
        if (row === undefined) return [item, new Refusal(version === undefined ? 'conflict' : 'precondition_failed')]
        changed(record.code)
        if (row.code !== record.code) changed(row.code)
        return [item, operation === 'delete' ? record : toLink(row)]
      })
    }

    /** All items have the same operation, so one of the two has nothing to do. */
    const send = async (items: readonly BulkItem[], mode: Mode): Promise<Outcomes> =>
      new Map([...(await create(items.filter(isCreation), mode)), ...(await change(items.filter(isChange), mode))])

    /** Does the items in one transaction. If one of them makes it fail, does each by itself. */
    const some = async (items: readonly BulkItem[], outcomes: Map<BulkItem, Outcome>): Promise<void> => {
      try {
        for (const each of await send(items, 'each')) outcomes.set(...each)
      } catch (error) {
        if (!(error instanceof Refusal) || error.status >= 500) throw error
        const [first, ...more] = items
        if (first !== undefined && more.length === 0) outcomes.set(first, error)
        else for (const item of items) await some([item], outcomes)
      }
    }

    return {
      all: (items) => send(items, 'all'),
      each: async (items) => {
        const outcomes = new Map<BulkItem, Outcome>()
        try {
          for (let from = 0; from < items.length; from += TOGETHER) {
            if (from > 0) await delay(REST_MS)
            await some(items.slice(from, from + TOGETHER), outcomes)
          }
        } catch (error) {
          // Committed items stay committed, so the request cannot be retried: the other items get the reason.
          if (outcomes.size === 0) throw error
          const refusal = refusalOfRest(error)
          for (const item of items) if (!outcomes.has(item)) outcomes.set(item, refusal)
        }
        return outcomes
      },
    }
  },
})

/**
 * The refusal of items left undone after others were committed: the policy or the caller changed, or the database
 * failed.
 */
const refusalOfRest = (error: unknown): Refusal => {
  if (error instanceof Refusal) return error
  if (error instanceof DecisionOutdated) return refusalOfOutdated(error)
  throw error
}

/** The refusal of an item whose code is taken. */
export const codeTaken = (message: string): Refusal =>
  new Refusal('code_taken', { errors: [{ field: 'code', message }] })

/** Items per transaction in the mode `each`. Small transactions hold their locks only briefly. */
const TOGETHER = 50

/** Between two transactions, so that they leave a part of the database's time to other callers. */
const REST_MS = 3

/** Items that are prepared before yielding to the event loop. */
const AT_ONCE = 2

/** The status of a success, for an item's decision record. */
export const STATUS = { create: 201, update: 200, delete: 204, transfer: 200, restore: 200 } as const

/** The action that `can()` decides for each operation. */
export const ACTION_OF = {
  create: 'link:create',
  update: 'link:update',
  delete: 'link:delete',
  transfer: 'link:transfer',
  restore: 'link:delete',
} as const

const isCreation = (item: BulkItem): item is Creation => item.operation === 'create'
const isChange = (item: BulkItem): item is Change => item.operation !== 'create'

/** Selects the rows of `done`. In the mode `all`, a missing row aborts the transaction (LG011). */
const answer = (query: Knex.QueryBuilder, mode: Mode): Knex.QueryBuilder =>
  mode === 'each'
    ? query.select('*').from('done')
    : query
        .select('done.*')
        .fromRaw('(values (1)) as one left join done on true')
        .whereRaw('require_row(done.code is not null)')
