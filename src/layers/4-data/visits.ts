import type { Knex } from 'knex'

import type { Database } from '../../database/database.js'
import type { Gate } from '../../domain/gate.js'
import { RecordChanged } from '../../database/errors.js'
import { adviseIfLate, type Deadline } from '../../domain/deadline.js'
import type { Link } from '../../domain/link.js'
import type { DataRule } from '../rules.js'
import { bind, reachOf, readerOf, type ReadBinding } from './context.js'
import type { ExportFormat } from './export-columns.js'
import { matching } from './link-page.js'
import { LINK_ROLES, searchable } from './link-rows.js'
import { mostVisited, type LinkVisits } from './most-visited.js'
import { knex, ownedRows, toCopy, toStatement } from './query.js'
import { IN_ORDER, VISIT_COLUMNS, VISIT_FORMS, VISIT_TIME } from './visit-export.js'
import {
  WITHOUT_SORT,
  statisticsQuery,
  toStatistics,
  type VisitQuery,
  type VisitSource,
  type VisitStatistics,
} from './visit-statistics.js'

/** The visits of the links that one caller reaches, within one request. */
export interface LinkVisitsStore {
  /** The visits of one link. Throws RecordChanged if the caller no longer reaches it. */
  ofLink(link: Pick<Link, 'id'>, query: VisitQuery): Promise<VisitStatistics>
  /** The visits of all links, or of those with all of these tags, and the ten most visited ones. */
  ofAll(
    query: VisitQuery,
    tags: readonly string[],
  ): Promise<VisitStatistics & { readonly links: readonly LinkVisits[] }>
  /** Single visits of a link as lines of text, oldest first, for the last VISIT_DAYS. */
  export(link: Pick<Link, 'id'>, format: ExportFormat): AsyncGenerator<Buffer>
}

interface VisitsStoreParts {
  readonly database: Database
  readonly searches: Gate
  /** VISIT_DAYS */
  readonly visitDays: number
  /** Adds the newest visits to the totals; waits for at most so many milliseconds. */
  readonly catchUp: (withinMs: number) => Promise<void>
}

/** Timeout for adding up the visits of tagged links, in milliseconds. */
const TAGGED_MS = 3_000

/** The data layer of visits. It reaches the visits of links that the caller may `link:update`. */
export const visitsStore = ({
  database,
  searches,
  visitDays,
  catchUp,
}: VisitsStoreParts): DataRule<LinkVisitsStore> => ({
  rows: 'visits of links that the caller may link:update',
  open: (context) => {
    const binding = bind(context, reachOf(context, 'link:update'), LINK_ROLES)
    // leaves half of the time for reading: old totals are better than none
    const beforeReading = () => catchUp(context.deadline.left() / 2)
    return {
      ofLink: async (link, query) => {
        await beforeReading()
        return visitsOfLink(database, binding, link, query)
      },
      ofAll: async (query, tags) => {
        await beforeReading()
        // the stored totals are those of one owner, or of all
        const isStored = tags.length === 0 && binding.reach !== 'others'
        const source = isStored ? ofOwner(binding) : ofTags(binding, tags)
        const ask = async (deadline: Deadline) => {
          const statistics = await visitsOf(database, binding, source, query, deadline)
          // mostVisited looks at every link before it finds none. The totals of one owner may still lack the visits of
          // links that were transferred to them, so only those of all links show that there is nothing to find.
          const isNone = statistics.total === 0 && binding.reach === 'any'
          return { ...statistics, links: isNone ? [] : await mostVisited(database, binding, query, tags, deadline) }
        }
        return (isStored ? ask(context.deadline) : searches(() => ask(context.deadline.within(TAGGED_MS)))).catch(
          tooSlow,
        )
      },
      export: async function* ({ id }, name) {
        await beforeReading()
        const { line, format } = VISIT_FORMS[name]
        const since = Math.floor(Date.now() / 1_000) - visitDays * 86_400
        const single = knex('visits')
          .joinRaw('cross join lateral unnest(moments) as m (moment)')
          // a single link, so the index returns its hours in order
          .whereRaw('link_id = (?)', [oneLink(binding, id)])
          .whereRaw('time > to_timestamp(?)', [since - 3_600])
          .whereRaw(`${VISIT_TIME} >= to_timestamp(?)`, [since])
          .select(knex.raw(VISIT_COLUMNS))
          .orderBy(IN_ORDER)
        // `offset 0` stops PostgreSQL from inlining the subquery, as for links
        const rows = knex.raw('(? offset 0) as visits', [single])
        yield* database.copy(readerOf(binding), toCopy(knex(rows).select(knex.raw(line)).orderBy(IN_ORDER), format))
      },
    }
  },
})

/** The statistics of one link. Throws RecordChanged if the binding does not reach it. */
export const visitsOfLink = async (
  database: Database,
  binding: ReadBinding,
  { id }: { readonly id: string },
  query: VisitQuery,
): Promise<VisitStatistics> => {
  const link = oneLink(binding, id)
  const statistics = toStatement(statisticsQuery(totalsOf(link, '='), query))
  const statements = [binding.enterRead, toStatement(link), WITHOUT_SORT, statistics]
  const [, found, , result] = await database.flush(statements)
  if (found?.rowCount !== 1) throw new RecordChanged()
  return toStatistics(result?.rows ?? [], query.range)
}

const visitsOf = async (
  database: Database,
  { enterRead }: ReadBinding,
  source: VisitSource,
  query: VisitQuery,
  deadline: Deadline,
): Promise<VisitStatistics> => {
  const statements = [enterRead, WITHOUT_SORT, toStatement(statisticsQuery(source, query))]
  const [, , result] = await database.flush(statements, deadline)
  return toStatistics(result?.rows ?? [], query.range)
}

const oneLink = (binding: ReadBinding, id: string): Knex.QueryBuilder =>
  ownedRows('links', binding)().where({ id }).select('id')

/** Totals of the links in `reached`. `=`: of a single link, where it costs a third less per row of totals than `in`. */
const totalsOf = (reached: Knex.QueryBuilder, comparison: 'in' | '='): VisitSource => {
  const of = (table: string) => knex(table).where('link_id', comparison, knex('reached').select('id'))
  return { reached, hours: of('visit_hours'), values: of('visit_values') }
}

/** The stored totals per owner. Owner 0 has the totals of all links. */
const ofOwner = (binding: ReadBinding): VisitSource => {
  const of = (table: 'owner_visit_hours' | 'owner_visit_values') => {
    const rows = ownedRows(table, binding)()
    return binding.reach === 'any' ? rows.where('owner_id', 0) : rows
  }
  return { hours: of('owner_visit_hours'), values: of('owner_visit_values') }
}

const ofTags = (binding: ReadBinding, tags: readonly string[]): VisitSource =>
  totalsOf(matching(searchable(binding)(), { tag: tags }).select('id'), 'in')

const tooSlow = adviseIfLate('Adding up these links took too long. Ask for a shorter time.')
