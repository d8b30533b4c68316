import { randomInt } from 'node:crypto'

import type { Database } from '../../database/database.js'
import type { Gate } from '../../database/gate.js'
import { toLink } from '../../database/link-row.js'
import type { LinkRow } from '../../database/link-row.js'
import { RecordChanged, violates } from '../../database/errors.js'
import { deadlineExceeded, isDeadlineExceeded } from '../../domain/deadline.js'
import { isCode } from '../../domain/link.js'
import type { Link } from '../../domain/link.js'
import type { Statement } from '../../database/statement.js'
import { isId } from '../../domain/id.js'
import type { Action } from '../../domain/action.js'
import { Refusal } from '../../domain/refusal.js'
import type { IdempotencyKey } from '../../input/idempotency-key.js'
import type { DataRule } from '../route.js'
import { bind, change, read, readerOf } from './context.js'
import type { Binding } from './context.js'
import { enterWithKey, keepLink, keptLink } from './idempotency.js'
import { pageOf, parseCursor } from './keyset.js'
import type { Page } from './keyset.js'
import { LINK_COLUMNS, LINK_FORMS } from './link-export.js'
import type { LinkFormat } from './link-export.js'
import { knex, ownedRows, prepared, toCopy, toStatement } from './query.js'
import type { OwnedRows } from './query.js'

export const LINK_SORTS = ['-created_at', 'created_at', 'code', '-code'] as const
export type LinkSort = (typeof LINK_SORTS)[number]

export interface LinkPageQuery {
  readonly limit: number
  readonly sort: LinkSort
  readonly cursor?: string | undefined
  /** a text that the code or the target contains, in any case */
  readonly q?: string | undefined
  readonly owner_id?: string | undefined
}

export interface LinkChanges {
  readonly target?: string | undefined
  readonly code?: string | undefined
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
   * RecordChanged where it is no longer there, and `code_taken` (409).
   */
  update(link: Link, changes: LinkChanges, version?: number): Promise<Link>
  /** Deletes the record that was decided about; as `update`. */
  delete(link: Link, version?: number): Promise<void>
  page(query: LinkPageQuery): Promise<Page<Link>>
  /** All of them as lines of text, oldest first, in pieces; memory does not grow with their number. */
  export(format: LinkFormat): AsyncGenerator<Buffer>
}

export interface NewLink {
  readonly target: string
  readonly code?: string | undefined
}

const ROLES = { own: 'links_own', any: 'links_any' } as const
const COLUMNS = ['id', 'code', 'target', 'owner_id', 'created_at', 'updated_at', 'version'] as const

/** Told of a code whose link this process has made, changed or deleted, before anybody gets the answer. */
export type LinkChanged = (code: string) => void

/**
 * The data layer of links. A creation is bound to the caller whatever the rows say: a new link is its maker's. Every
 * other action reaches what `can()` allows for it in the same revision, as own or any rows.
 */
export const linksStore =
  (database: Database, changed: LinkChanged, searches: Gate) =>
  (action: Action | 'creation'): DataRule<Links> => ({
    rows: action === 'creation' ? 'the caller’s own links' : `links that ${action} reaches`,
    open: (context) => {
      const { snapshot, caller } = context
      const reach =
        action === 'creation' ? 'own' : caller.user === null ? 'none' : snapshot.reach(caller.user.role, action)
      const binding = bind(context, reach, ROLES)
      const links = ownedRows('links', 'owner_id', binding)
      return {
        create: async (link) => {
          const made = await create(database, binding, links, link, context.idempotencyKey)
          if (!made.replayed) changed(made.link.code)
          return made
        },
        update: async (link, changes, version) => {
          const update = exactly(links, link, version)
            .update({ ...changes, updated_at: knex.raw('now()'), version: knex.raw('version + 1') })
            .returning([...COLUMNS])
          const [row] = await change<LinkRow>(database, binding, prepared(update)).catch(refuseTakenCode)
          if (!row) throw new RecordChanged()
          changed(link.code)
          if (row.code !== link.code) changed(row.code)
          return toLink(row)
        },
        delete: async (link, version) => {
          const deletion = exactly(links, link, version).delete().returning('code')
          const [row] = await change(database, binding, prepared(deletion))
          if (row === undefined) throw new RecordChanged()
          changed(link.code)
        },
        page: (query) => page(database, binding, links, query, searches),
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
const exactly = (links: OwnedRows, { id, code, owner_id: owner }: Link, version: number | undefined) => {
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
  { target, code }: NewLink,
  key: IdempotencyKey | null,
): ReturnType<Links['create']> => {
  const send = async (named: string): Promise<Link> => {
    const insert = prepared(links.insert({ code: named, target }).returning([...COLUMNS]))
    const before = enterWithKey(key, binding)
    const statements = [...before, insert, ...keepLink(key, binding, named)]
    const results = await database.flush(statements, binding.deadline).catch(refuseTakenCode)
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
        const [row] = await read<LinkRow>(database, binding, keptLink(key, COLUMNS))
        // deleted in between, since its life was over: the key is free again
        if (!row) throw new RecordChanged()
        return { link: toLink(row), replayed: true }
      }
      const isUnlucky = code === undefined && error.code === 'code_taken'
      if (!isUnlucky || tried === TRIES) throw error
    }
  }
}

const refuseTakenCode = (error: unknown): never => {
  if (violates(error, 'links_code_key')) {
    throw new Refusal('code_taken', { errors: [{ field: 'code', message: 'is taken' }] })
  }
  throw error
}

const page = async (
  database: Database,
  binding: Binding,
  links: OwnedRows,
  { limit, sort, cursor, q, owner_id: owner }: LinkPageQuery,
  searches: Gate,
) => {
  const column = sort.endsWith('code') ? 'code' : 'id'
  const direction = sort.startsWith('-') ? 'desc' : 'asc'
  const query = links()
    .select(...COLUMNS)
    .orderBy(column, direction)
    .limit(limit + 1)
  if (owner !== undefined) query.where('owner_id', owner)
  // as the index links_search has it
  const pattern = `%${q?.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`
  if (q !== undefined) query.whereRaw('(lower(code) like lower(?) or lower(target) like lower(?))', [pattern, pattern])
  if (cursor !== undefined) {
    const after = parseCursor(cursor, sort, column === 'id' ? isId : isCode)
    query.where(column, direction === 'asc' ? '>' : '<', after)
  }
  const found =
    q === undefined
      ? await read<LinkRow>(database, binding, prepared(query))
      : await searches(() => search(database, binding, toStatement(query)))
  const rows = found.map(toLink)
  return pageOf(rows, limit, sort, (link) => link[column])
}

/** What one search may cost: one that no index serves reads every link that the caller reaches. */
export const SEARCH_MS = 1_000

/** Sends a search under its own deadline. It is not prepared: the best plan depends on the text. */
const search = async (database: Database, binding: Binding, query: Statement): Promise<readonly LinkRow[]> => {
  const deadline = binding.deadline.within(SEARCH_MS)
  const [, result] = await database.flush([binding.enterRead, query], deadline).catch((error: unknown) => {
    if (!isDeadlineExceeded(error)) throw error
    throw deadlineExceeded({ detail: 'The search took too long. Search for a longer text.', cause: error })
  })
  return result?.rows ?? []
}
