import { randomInt } from 'node:crypto'

import type { Knex } from 'knex'

import type { Database } from '../../database/database.js'
import type { Gate } from '../../domain/gate.js'
import { LINK_ROW, toLink, visitsOf } from '../../database/link-row.js'
import type { LinkRow } from '../../database/link-row.js'
import { RecordChanged } from '../../database/errors.js'
import type { Id } from '../../domain/id.js'
import type { Link, RedirectStatus } from '../../domain/link.js'
import type { Action } from '../../domain/action.js'
import { Refusal } from '../../domain/refusal.js'
import type { IdempotencyKey } from '../../input/idempotency-key.js'
import type { DataRule } from '../route.js'
import { bind, change, reachOf, read, readerOf } from './context.js'
import type { Binding } from './context.js'
import { enterWithKey, keepLink, keptLink } from './idempotency.js'
import type { Page } from './keyset.js'
import { isByVisits, pageByVisits } from './link-page-by-visits.js'
import { countLinks, pageOfLinks } from './link-page.js'
import type { LinkFilter, LinkPageQuery } from './link-page.js'
import { LINK_ROLES, MOVED_COLUMNS, refuseFields } from './link-rows.js'
import type { LinkChanged } from './link-rows.js'
import { LINK_COLUMNS, LINK_FORMS } from './link-export.js'
import type { LinkFormat } from './link-export.js'
import { knex, ownedRows, prepared, toCopy, toStatement } from './query.js'
import type { OwnedRows } from './query.js'

/** The fields that a request may set, as they are stored. */
export interface LinkFields {
  readonly target: string
  readonly code: string
  readonly title: string | null
  readonly note: string | null
  readonly tags: readonly string[]
  readonly status: RedirectStatus
  readonly active: boolean
  readonly starts_at: string | null
  readonly expires_at: string | null
  readonly max_visits: number | null
  readonly password_hash: string | null
  readonly forward_query: boolean
}
type Optional<T> = { readonly [Name in keyof T]?: T[Name] | undefined }
export type LinkChanges = Optional<LinkFields>
export type NewLink = LinkChanges & Pick<LinkFields, 'target'>

const NEW: Omit<LinkFields, 'target' | 'code'> = {
  title: null,
  note: null,
  tags: [],
  status: 302,
  active: true,
  starts_at: null,
  expires_at: null,
  max_visits: null,
  password_hash: null,
  forward_query: false,
}

/** The links that one caller reaches, inside one request. What they do not reach is not there. */
export interface Links {
  /**
   * Throws `code_taken` (409). Without a code, makes an unguessable one. `replayed` where the request's Idempotency-Key
   * made the link before: nothing is made, and the link is answered as it was then.
   */
  create(link: NewLink): Promise<{ readonly link: Link; readonly replayed: boolean }>
  /**
   * Changes the record that was decided about; with a version (the caller sent If-Match) only in that version. Throws
   * RecordChanged where it is no longer there, `code_taken` (409), and `validation_failed` (422) where it would end
   * before it starts.
   */
  update(link: Link, changes: LinkChanges, version?: number): Promise<Link>
  /** Deletes the record that was decided about; as `update`. It waits in the trash, where the installation has one. */
  delete(link: Link, version?: number): Promise<void>
  /** Gives the record that was decided about to another user; as `update`. Throws `validation_failed` for nobody. */
  transfer(link: Link, owner: Id, version?: number): Promise<Link>
  /** Gives the next thousand links of a user to another one, in one transaction, and answers how many it gave. */
  transferSome(from: Id, to: Id): Promise<number>
  /** The record that was decided about, with its visits. */
  withVisits(link: Link): Promise<Link>
  /** How many links of a user the caller reaches. */
  count(owner: Id): Promise<number>
  page(query: LinkPageQuery): Promise<Page<Link>>
  /** How many all pages have, up to 10,000. */
  countListed(filter: LinkFilter): Promise<number>
  /** All of them as lines of text, oldest first, in pieces; memory does not grow with their number. */
  export(format: LinkFormat): AsyncGenerator<Buffer>
}

export interface LinksStoreParts {
  readonly database: Database
  readonly changed: LinkChanged
  readonly searches: Gate
  /** false where TRASH_DAYS is 0 */
  readonly keepsTrash: boolean
}

/**
 * The data layer of links. A creation is bound to the caller whatever the rows say: a new link is its maker's. Every
 * other action reaches what `can()` allows for it in the same revision, as own or any rows.
 */
export const linksStore =
  ({ database, changed, searches, keepsTrash }: LinksStoreParts) =>
  (action: Action | 'creation'): DataRule<Links> => ({
    rows: action === 'creation' ? 'the caller’s own links' : `links that the caller may ${action}`,
    open: (context) => {
      const reach = action === 'creation' ? 'own' : reachOf(context, action)
      const binding = bind(context, reach, LINK_ROLES)
      const links = ownedRows('links', 'owner_id', binding)
      return {
        create: async (link) => {
          const made = await create(database, binding, links, link, context.idempotencyKey)
          if (!made.replayed) changed(made.link.code)
          return made
        },
        update: async (link, changes, version) => {
          const update = asStatement(changes)(updateOf(exactly(links, link, version), changes))
          const [row] = await change<LinkRow>(database, binding, update).catch(refuseFields)
          if (!row) throw new RecordChanged()
          changed(link.code)
          if (row.code !== link.code) changed(row.code)
          return toLink(row)
        },
        delete: async (link, version) => {
          const deletion = deletionOf(exactly(links, link, version), keepsTrash)
          const [row] = await change(database, binding, prepared(deletion.select('code').from('done')))
          if (row === undefined) throw new RecordChanged()
          changed(link.code)
        },
        transfer: async (link, owner, version) => {
          const given = prepared(
            transferOf(exactly(links, link, version), owner)
              .select('*')
              .from('done'),
          )
          const [row] = await change<LinkRow>(database, binding, given).catch(refuseFields)
          if (row === undefined) throw new RecordChanged()
          changed(link.code)
          return toLink(row)
        },
        transferSome: async (from, to) => {
          const some = links().where('owner_id', from).select('id').orderBy('id').limit(TRANSFERRED_AT_ONCE).forUpdate()
          const given = knex.raw('select code from give_links(array(?), ?)', [some, to])
          const rows = await change<Pick<LinkRow, 'code'>>(database, binding, prepared(given)).catch(refuseFields)
          for (const { code } of rows) changed(code)
          return rows.length
        },
        withVisits: async (link) => {
          const query = ownedRows('visit_counts', 'owner_id', binding)().select('visits as total', 'last_at')
          const text = prepared(query.where('link_id', link.id))
          const [row] = await read<{ total: string; last_at: Date | null }>(database, binding, text)
          if (row === undefined) return link
          return { ...link, visits: { total: Number(row.total), last_at: row.last_at?.toISOString() ?? null } }
        },
        count: async (owner) => {
          const counted = links().where('owner_id', owner).select(knex.raw('count(*)::int as links'))
          const [row] = await read<{ links: number }>(database, binding, prepared(counted))
          return row?.links ?? 0
        },
        page: (query) =>
          isByVisits(query)
            ? pageByVisits(database, binding, query, searches)
            : pageOfLinks(database, binding, query, searches),
        countListed: (filter) => countLinks(database, binding, filter, searches),
        export: (name) => {
          const { line, format } = LINK_FORMS[name]
          // `offset 0` stops PostgreSQL from inlining the subquery, and with it each expression in every place of use
          const rows = knex.raw('(? offset 0) as links', [links().select(knex.raw(LINK_COLUMNS)).orderBy('id')])
          return database.copy(readerOf(binding), toCopy(knex(rows).select(knex.raw(line)).orderBy('id'), format))
        },
      }
    },
  })

/** The record that was decided about, within the caller's reach: this id, still with this owner and under this code. */
export const exactly = (links: OwnedRows, { id, code, owner_id: owner }: Link, version: number | undefined) => {
  const query = links().where({ id, code }).whereRaw('owner_id is not distinct from ?', [owner])
  return version === undefined ? query : query.where({ version })
}

// no 0/O, 1/l/I: a code is read aloud and typed from paper
const ALPHABET = '23456789abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ'
/** 56^8, about 10^14: guessing is hopeless at any rate that the gateway lets through */
const LENGTH = 8
const TRIES = 5

/** A fresh unguessable code, from the system's random source, without look-alikes. */
export const generateCode = (): string =>
  Array.from({ length: LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join('')

const create = async (
  database: Database,
  binding: Binding,
  links: OwnedRows,
  { code, ...fields }: NewLink,
  key: IdempotencyKey | null,
): ReturnType<Links['create']> => {
  const send = async (named: string): Promise<Link> => {
    const insert = prepared(links.insert(rowOf({ ...fields, code: named })).returning([...LINK_ROW]))
    const before = enterWithKey(key, binding)
    const statements = [...before, insert, ...keepLink(key, binding, named)]
    const results = await database.flush(statements, binding.deadline).catch(refuseFields)
    const row: LinkRow | undefined = results[before.length]?.rows[0]
    if (!row) throw new Error('an insert answered no row')
    return toLink(row)
  }
  for (let tried = 1; ; tried += 1) {
    try {
      return { link: await send(code ?? generateCode()), replayed: false }
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      if (key !== null && error.code === 'already_created') {
        const [row] = await read<LinkRow>(database, binding, keptLink(key, LINK_ROW))
        // deleted in between, since its life was over: the key is free again
        if (!row) throw new RecordChanged()
        return { link: toLink(row), replayed: true }
      }
      const isUnlucky = code === undefined && error.code === 'code_taken'
      if (!isUnlucky || tried === TRIES) throw error
    }
  }
}

const TRANSFERRED_AT_ONCE = 1_000

/** A query with the CTE `done`, which deletes these rows, and keeps them in the trash where there is one. */
export const deletionOf = (rows: Knex.QueryBuilder, keepsTrash: boolean): Knex.QueryBuilder => {
  const deletion = rows.delete()
  if (!keepsTrash) return knex.with('done', deletion.returning('code'))
  const columns = MOVED_COLUMNS.join(', ')
  const kept = `insert into deleted_links (${columns}) select ${columns} from gone returning code`
  return knex.with('gone', deletion.returning([...MOVED_COLUMNS])).with('done', knex.raw(kept))
}

/** A query with the CTE `done`, which gives these rows to another owner. */
export const transferOf = (rows: Knex.QueryBuilder, owner: Id): Knex.QueryBuilder =>
  knex.with(
    'done',
    knex.raw(`select *, ${visitsOf('given')} from give_links(array(?), ?) given`, [
      rows.select('id').forUpdate(),
      owner,
    ]),
  )

/** Changes these rows. Returns them. */
export const updateOf = (rows: Knex.QueryBuilder, changes: LinkChanges): Knex.QueryBuilder =>
  rows
    .update({
      ...changes,
      // counted since there is a maximum
      ...(changes.max_visits === null && { used: 0 }),
      updated_at: knex.raw('now()'),
      version: knex.raw('version + 1'),
    })
    .returning([...LINK_ROW, knex.raw(visitsOf('links'))])

/** The server keeps a plan for each form: for one of each field alone, not for every combination. */
export const asStatement = (changes: LinkChanges): typeof toStatement =>
  Object.keys(changes).length === 1 ? prepared : toStatement

/** The row of a new link. */
export const rowOf = (link: NewLink & { readonly code: string }): Readonly<Record<string, unknown>> => ({
  ...NEW,
  ...withoutUndefined(link),
})

const withoutUndefined = (fields: object): object =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
