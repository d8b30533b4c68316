import type { Knex } from 'knex'

import { LINK_ROW, toLink } from '../../database/link-row.js'
import type { LinkRow } from '../../database/link-row.js'
import type { Statement } from '../../database/statement.js'
import type { Decision } from '../../domain/decision.js'
import type { Link } from '../../domain/link.js'
import { Refusal } from '../../domain/refusal.js'
import type { DataRule } from '../route.js'
import { bind } from './context.js'
import type { Binding } from './context.js'
import { asStatement, deletionOf, exactly, rowOf, updateOf } from './links.js'
import type { LinkChanges, LinksStoreParts, NewLink } from './links.js'
import { LINK_ROLES, refuseFields } from './link-rows.js'
import { knex, ownedRows, prepared } from './query.js'

/** One item of a bulk request, with the decision that allowed it. */
export type BulkItem = { readonly decision: Decision } & (
  | { readonly operation: 'create'; readonly link: NewLink & { readonly code: string } }
  | {
      readonly operation: 'update'
      readonly record: Link
      readonly changes: LinkChanges
      readonly version: number | undefined
    }
  | { readonly operation: 'delete'; readonly record: Link; readonly version: number | undefined }
)

/** Whether a transaction ends with an item that cannot be done, or goes on without it. */
type Mode = 'all' | 'each'

/** What became of an item: the link (as it was, of a deletion), or why it was not done. */
type Outcome = Link | Refusal
export type Outcomes = ReadonlyMap<BulkItem, Outcome>

export interface BulkLinks {
  /** Does all items in one transaction, or none. Throws `code_taken` (409) and RecordChanged. */
  all(items: readonly BulkItem[]): Promise<Outcomes>
  /** Does each item that can be done, as few transactions as possible. */
  each(items: readonly BulkItem[]): Promise<Outcomes>
}

/** The data layer of bulk requests: one transaction for many items, one record for each (docs/decisions/0008). */
export const bulkLinksStore = ({
  database,
  changed,
  keepsTrash,
}: Omit<LinksStoreParts, 'searches'>): DataRule<BulkLinks> => ({
  rows: 'links that the action of each item reaches',
  open: (context) => {
    const { snapshot, caller } = context

    const bindingOf = ({ operation }: BulkItem): Binding => {
      const reach =
        operation === 'create'
          ? 'own'
          : caller.user === null
            ? 'none'
            : snapshot.reach(caller.user.role, `link:${operation}`)
      return bind(context, reach, LINK_ROLES)
    }

    const statementOf = (item: BulkItem, binding: Binding, mode: Mode): Statement => {
      const links = ownedRows('links', 'owner_id', binding)
      if (item.operation === 'create') {
        const insert = links.insert(rowOf(item.link)).returning([...LINK_ROW])
        return prepared(answer(knex.with('done', mode === 'each' ? insert.onConflict('code').ignore() : insert), mode))
      }
      const row = exactly(links, item.record, item.version)
      return item.operation === 'update'
        ? asStatement(item.changes)(answer(knex.with('done', updateOf(row, item.changes)), mode))
        : prepared(answer(deletionOf(row, keepsTrash), mode))
    }

    /** Sends the items as one transaction; undefined for those whose row was not there. */
    const send = async (items: readonly BulkItem[], mode: Mode): Promise<readonly (Link | undefined)[]> => {
      const [first] = items
      if (first === undefined) return []
      const binding = bindingOf(first)
      const statements = [binding.enterChange()]
      const places: number[] = []
      let decided: Decision | undefined
      for (const item of items) {
        // each record has its own decision; most items of a request have the same
        if (item.decision !== decided) statements.push(binding.decided(item.decision, STATUS[item.operation]))
        decided = item.decision
        places.push(statements.push(statementOf(item, binding, mode)) - 1)
      }
      const results = await database.flush(statements, binding.deadline).catch(refuseFields)
      return items.map((item, i) => {
        const row: LinkRow | undefined = results[places[i] ?? 0]?.rows[0]
        if (row === undefined) return undefined
        const link = item.operation === 'delete' ? item.record : toLink(row)
        changed(link.code)
        if (item.operation === 'update') changed(item.record.code)
        return link
      })
    }

    const outcomesOf = async (items: readonly BulkItem[], mode: Mode): Promise<readonly Outcome[]> => {
      const links = await send(items, mode)
      return links.map((link, i) => link ?? new Refusal(items[i]?.operation === 'create' ? 'code_taken' : 'conflict'))
    }

    return {
      all: async (items) => new Map(zip(items, await outcomesOf(items, 'all'))),
      each: async (items) => {
        // one that takes another code may fail, and would take the others with it
        const [renames, others] = [items.filter(isRename), items.filter((item) => !isRename(item))]
        const outcomes = new Map(zip(others, await outcomesOf(others, 'each')))
        for (const item of renames) {
          const alone = await outcomesOf([item], 'each').catch((error: unknown) => {
            if (error instanceof Refusal) return [error]
            throw error
          })
          for (const [, outcome] of zip([item], alone)) outcomes.set(item, outcome)
        }
        return outcomes
      },
    }
  },
})

/** The status of a success, as the record of an item has it. */
export const STATUS = { create: 201, update: 200, delete: 204 } as const

const isRename = (item: BulkItem): boolean => item.operation === 'update' && item.changes.code !== undefined

const zip = <A, B>(some: readonly A[], others: readonly B[]): readonly (readonly [A, B])[] =>
  some.flatMap((each, i) => {
    const other = others[i]
    return other === undefined ? [] : [[each, other] as const]
  })

/** The rows of `done`. In the mode `all` one that is not there ends the transaction (LG011). */
const answer = (query: Knex.QueryBuilder, mode: Mode): Knex.QueryBuilder =>
  mode === 'each'
    ? query.select('*').from('done')
    : query
        .select('done.*')
        .fromRaw('(values (1)) as one left join done on true')
        .whereRaw('require_row(done.code is not null)')
