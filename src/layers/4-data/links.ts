import { randomInt } from 'node:crypto'

import type { Knex } from 'knex'

import type { Database } from '../../database/database.js'
import type { Gate } from '../../domain/gate.js'
import { LINK_ROW, toLink, visitsOf, type LinkRow } from '../../database/link-row.js'
import { RecordChanged } from '../../database/errors.js'
import type { Id } from '../../domain/id.js'
import type { Link, RedirectStatus } from '../../domain/link.js'
import type { Action } from '../../domain/action.js'
import { Refusal } from '../../domain/refusal.js'
import type { DataRule } from '../rules.js'
import { bind, changeOne, reachOf, read, readerOf, type Binding } from './context.js'
import { insertOnce, keepLink, keptLink } from './idempotency.js'
import type { Page } from './keyset.js'
import type { ExportFormat } from './export-columns.js'
import { isByVisits, pageByVisits } from './link-page-by-visits.js'
import { countLinks, pageOfLinks, type LinkFilter, type LinkPageQuery } from './link-page.js'
import { LINK_ROLES, MOVED_COLUMNS, refuseFields, type LinkChanged } from './link-rows.js'
import { copyOfLinks } from './link-export.js'
import { knex, ownedRows, prepared, toStatement, type OwnedRows } from './query.js'

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

/** The links that one caller reaches, within one request. Links beyond their reach do not exist here. */
export interface Links {
  /**
   * Creates a link; generates an unguessable code if none is given. Throws `code_taken` (409). `replayed` if the
   * request's Idempotency-Key has already created the link: nothing is created, and the link is returned as it was
   * then.
   */
  create(link: NewLink): Promise<{ readonly link: Link; readonly replayed: boolean }>
  /**
   * Changes the record that was decided about; with a version (from If-Match), only if it still has that version.
   * Throws RecordChanged if it is gone or has changed, `code_taken` (409), and `validation_failed` (422) if the link
   * would end before it starts.
   */
  update(link: Link, changes: LinkChanges, version?: number): Promise<Link>
  /**
   * Deletes the record that was decided about, like `update`. If the installation has a trash, the link moves there.
   */
  delete(link: Link, version?: number): Promise<void>
  /**
   * Transfers the record that was decided about, like `update`. Throws `validation_failed` if the new owner is missing.
   */
  transfer(link: Link, owner: Id, version?: number): Promise<Link>
  /**
   * Transfers the next thousand links of a user to another, in one transaction. Returns how many, and how many remain
   * of those that the caller reaches.
   */
  transferSome(from: Id, to: Id): Promise<{ readonly given: number; readonly remaining: number }>
  /** Adds its visit count to the record that was decided about. */
  withVisits(link: Link): Promise<Link>
  page(query: LinkPageQuery): Promise<Page<Link>>
  /** The number of all listed links, up to 10,000. */
  countListed(filter: LinkFilter): Promise<number>
  /** All listed links as lines of text, oldest first, streamed in constant memory. */
  export(format: ExportFormat, filter: LinkFilter): AsyncGenerator<Buffer>
}

export interface LinksStoreParts {
  readonly database: Database
  readonly changed: LinkChanged
  readonly searches: Gate
  /** false if TRASH_DAYS is 0 */
  readonly keepsTrash: boolean
}

/**
 * The data layer of links. A creation is always bound to the caller, who owns the new link. Every other action reaches
 * the rows that the same policy revision allows for it: own or any.
 */
export const linksStore =
  ({ database, changed, searches, keepsTrash }: LinksStoreParts) =>
  (action: Action | 'creation'): DataRule<Links> => ({
    rows: action === 'creation' ? 'the caller’s own links' : `links that the caller may ${action}`,
    open: (context) => {
      const reach = action === 'creation' ? 'own' : reachOf(context, action)
      const binding = bind(context, reach, LINK_ROLES)
      const links = ownedRows('links', binding)
      return {
        create: async (link) => {
          const made = await create(database, binding, links, link)
          if (!made.replayed) changed(made.link.code)
          return made
        },
        update: async (link, changes, version) => {
          const update = asStatement(changes)(updateOf(exactly(links, link, version), changes))
          const row = await changeOne<LinkRow>(database, binding, update).catch((error: unknown) =>
            refuseFields(error, changes),
          )
          changed(link.code)
          if (row.code !== link.code) changed(row.code)
          return toLink(row)
        },
        delete: async (link, version) => {
          const deletion = deletionOf(exactly(links, link, version), keepsTrash)
          await changeOne(database, binding, prepared(deletion.select('code').from('done')))
          changed(link.code)
        },
        transfer: async (link, owner, version) => {
          const given = prepared(
            transferOf(exactly(links, link, version), owner)
              .select('*')
              .from('done'),
          )
          const row = await changeOne<LinkRow>(database, binding, given).catch(refuseFields)
          changed(link.code)
          return toLink(row)
        },
        transferSome: async (from, to) => {
          const some = links().where('owner_id', from).select('id').orderBy('id').limit(TRANSFERRED_AT_ONCE).forUpdate()
          const given = knex.raw('select code from give_links(array(?), ?)', [some, to])
          const left = links().where('owner_id', from).select(knex.raw('count(*)::int as links'))
          const statements = [binding.enterChange(), prepared(given), prepared(left)]
          const results = await database.flush(statements, binding.deadline).catch(refuseFields)
          const rows: readonly Pick<LinkRow, 'code'>[] = results[1]?.rows ?? []
          const count: { readonly links: number } | undefined = results[2]?.rows[0]
          for (const { code } of rows) changed(code)
          return { given: rows.length, remaining: count?.links ?? 0 }
        },
        withVisits: async (link) => {
          const query = ownedRows('visit_counts', binding)().select('visits as total', 'last_at')
          const text = prepared(query.where('link_id', link.id))
          const [row] = await read<{ total: string; last_at: Date | null }>(database, binding, text)
          if (row === undefined) return link
          return { ...link, visits: { total: Number(row.total), last_at: row.last_at?.toISOString() ?? null } }
        },
        page: (query) =>
          isByVisits(query)
            ? pageByVisits(database, binding, query, searches)
            : pageOfLinks(database, binding, query, searches),
        countListed: (filter) => countLinks(database, binding, filter, searches),
        export: (format, filter) => database.copy(readerOf(binding), copyOfLinks(binding, format, filter)),
      }
    },
  })

/** Exactly the record that was decided about: within the caller's reach, with the same id, owner and code. */
export const exactly = (links: OwnedRows, { id, code, owner_id: owner }: Link, version?: number) => {
  const query = links().where({ id, code }).whereRaw('owner_id is not distinct from ?', [owner])
  return version === undefined ? query : query.where({ version })
}

// no look-alikes (0/O, 1/l/I): people read codes aloud and type them from paper
const ALPHABET = '23456789abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ'
/** 56^8 is about 10^14: guessing is hopeless at any rate that the gateway allows */
const LENGTH = 8
const TRIES = 5

/** A new unguessable code, from a cryptographic random source. */
export const generateCode = (): string =>
  Array.from({ length: LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join('')

const create = async (
  database: Database,
  binding: Binding,
  links: OwnedRows,
  { code, ...fields }: NewLink,
): ReturnType<Links['create']> => {
  const send = async (named: string): Promise<Link> => {
    const insert = prepared(links.insert(rowOf({ ...fields, code: named })).returning([...LINK_ROW]))
    const keep = keepLink(binding, named)
    return toLink(await insertOnce<LinkRow>(database, binding, insert, keep).catch(refuseFields))
  }
  for (let tried = 1; ; tried += 1) {
    try {
      return { link: await send(code ?? generateCode()), replayed: false }
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      const { idempotencyKey: key } = binding
      if (key !== null && error.code === 'already_created') {
        const [row] = await read<LinkRow>(database, binding, keptLink(key, LINK_ROW))
        // the key expired and was deleted in between, so it is free again
        if (!row) throw new RecordChanged()
        return { link: toLink(row), replayed: true }
      }
      const isUnlucky = code === undefined && error.code === 'code_taken'
      if (!isUnlucky || tried === TRIES) throw error
    }
  }
}

const TRANSFERRED_AT_ONCE = 1_000

/** A query with the CTE `done`, which deletes these rows, or moves them to the trash. */
export const deletionOf = (rows: Knex.QueryBuilder, keepsTrash: boolean): Knex.QueryBuilder => {
  const deletion = rows.delete()
  if (!keepsTrash) return knex.with('done', deletion.returning('code'))
  const columns = MOVED_COLUMNS.join(', ')
  const kept = `insert into deleted_links (${columns}) select ${columns} from gone returning code`
  return knex.with('gone', deletion.returning([...MOVED_COLUMNS])).with('done', knex.raw(kept))
}

/** A query with the CTE `done`, which transfers these rows to another owner. */
export const transferOf = (rows: Knex.QueryBuilder, owner: Id): Knex.QueryBuilder =>
  knex.with(
    'done',
    knex.raw(`select *, ${visitsOf('given')} from give_links(array(?), ?) given`, [
      rows.select('id').forUpdate(),
      owner,
    ]),
  )

/** Updates and returns these rows. Without changes, they keep their version. */
export const updateOf = (rows: Knex.QueryBuilder, changes: LinkChanges): Knex.QueryBuilder =>
  rows
    .update(
      Object.keys(changes).length === 0
        ? { version: knex.ref('version') }
        : {
            ...changes,
            // `used` only counts while there is a maximum
            ...(changes.max_visits === null && { used: 0 }),
            updated_at: knex.raw('now()'),
            version: knex.raw('version + 1'),
          },
    )
    .returning([...LINK_ROW, knex.raw(visitsOf('links'))])

/**
 * Prepares only updates of a single field: the server keeps a plan per statement, and there are too many combinations.
 */
export const asStatement = (changes: LinkChanges): typeof toStatement =>
  Object.keys(changes).length === 1 ? prepared : toStatement

/** The row of a new link. */
export const rowOf = (link: NewLink & { readonly code: string }): Readonly<Record<string, unknown>> => ({
  ...NEW,
  ...withoutUndefined(link),
})

const withoutUndefined = (fields: object): object =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
