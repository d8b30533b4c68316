import { randomInt } from 'node:crypto'

import type { QueryResultRow } from 'pg'

import { enterChange } from '../../database/change.js'
import type { Change, ChangeForm } from '../../database/change.js'
import type { Database } from '../../database/database.js'
import { violates } from '../../database/errors.js'
import { isCode } from '../../domain/link.js'
import type { Link, PresumedLink } from '../../domain/link.js'
import { isId, toId } from '../../domain/id.js'
import type { Action } from '../../domain/action.js'
import { Refusal } from '../../domain/refusal.js'
import type { DataContext, DataRule, Repeat } from '../route.js'
import { bindTransaction, inTransaction } from './context.js'
import type { Binding } from './context.js'
import { formatCursor, parseCursor } from './keyset.js'
import { LINK_COLUMNS, LINK_FORMS } from './link-export.js'
import type { LinkFormat } from './link-export.js'
import { keptForms, knex, ownerBound, toCopy, toKeptStatement } from './query.js'
import type { FormValue } from './query.js'
import { RecordChanged } from './record-changed.js'
import { insertOnce, madeBefore } from './repeat.js'

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

/** The links that one caller reaches, inside one request. What they do not reach is not there. */
export interface Links {
  /** Throws `code_taken` (409). Without a code, makes an unguessable one. Repeated, answers what was made then. */
  create(link: { readonly target: string; readonly code?: string | undefined }): Promise<Link>
  /**
   * Changes the record that was decided about, and with a version (the caller sent If-Match) only in that one, whatever
   * others made of it; throws RecordChanged where it is no longer there.
   */
  update(
    link: Link | PresumedLink,
    changes: { readonly target?: string | undefined; readonly code?: string | undefined },
    version?: number,
  ): Promise<Link>
  delete(link: Link | PresumedLink, version?: number): Promise<void>
  page(query: LinkPageQuery): Promise<{ readonly data: readonly Link[]; readonly next_cursor: string | null }>
  /** All of them as lines of text, oldest first, in pieces; memory does not grow with their number. */
  export(format: LinkFormat): AsyncGenerator<Buffer>
}

const ROLES = { own: 'links_own', any: 'links_any' } as const
/** As `own` in a statement with many callers: each reaches their own, under the code that they named. */
const EACH = 'links_each'
const COLUMNS = ['id', 'code', 'target', 'owner_id', 'created_at', 'updated_at', 'version'] as const

// no 0/O, 1/l/I: a code is read aloud and typed from paper
const ALPHABET = '23456789abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ'
/** 56^8, about 10^14: guessing is hopeless at any rate that the gateway lets through */
const LENGTH = 8
const TRIES = 5

/** A fresh unguessable code, from the system's random source, without look-alikes. */
export const generateCode = (): string =>
  Array.from({ length: LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join('')

/**
 * The data layer of links. `creation` is bound to the caller whatever the rows say: a new link is its maker's. Every
 * other action reaches what `can()` allows for it in the same revision, as own or any rows.
 */
export const linksStore =
  (database: Database, changed: LinkChanged) =>
  (action: Action | 'creation'): DataRule<Links> => ({
    rows: action === 'creation' ? 'the caller’s own links' : `links that ${action} reaches`,
    open: (context) => openLinks(database, changed, context, action),
  })

/** Told of a code whose link this process has made, changed or deleted, before anybody gets the answer. */
export type LinkChanged = (code: string) => void

const openLinks = (
  database: Database,
  changed: LinkChanged,
  context: DataContext,
  action: Action | 'creation',
): Links => {
  const { snapshot, caller } = context
  const reach = action === 'creation' ? 'own' : caller.user === null ? 'none' : snapshot.reach(caller.user.role, action)
  const binding = bindTransaction(context, reach, ROLES)
  return {
    create: async ({ target, code }) => {
      if (context.repeat?.known === true)
        return toLink(await madeBefore<LinkRow>(database, binding, context.repeat, 'links', COLUMNS))
      const made = await create(database, binding, context.repeat, target, code)
      changed(made.code)
      return made
    },
    update: async (link, changes, version) => {
      const form = updateOf({
        ...shapeOf(binding, link, version),
        fields: FIELDS.filter((field) => changes[field] !== undefined),
      })
      const values = { ...valuesOf(binding, link, version), ...changes }
      // one that may fail by what its caller chose, a code that is taken, goes alone; so it is with a creation
      const row =
        changes.code === undefined
          ? await inGroup<LinkRow>(database, binding, form, values, link.code)
          : (
              await inTransaction<LinkRow>(database, enterChange(binding.entering), form.one(values)).catch(
                refuseTakenCode,
              )
            )[0]
      if (!row) throw new RecordChanged()
      changed(link.code)
      if (row.code !== link.code) changed(row.code)
      return toLink(row)
    },
    delete: async (link, version) => {
      const row = await inGroup(
        database,
        binding,
        deleteOf(shapeOf(binding, link, version)),
        valuesOf(binding, link, version),
        link.code,
      )
      if (row === undefined) throw new RecordChanged()
      changed(link.code)
    },
    page: (query) => page(database, binding, query),
    export: (name) => {
      const { line, format } = LINK_FORMS[name]
      // the offset keeps the planner from putting a column's expression in every place where it is used
      const links = knex.raw('(? offset 0) as links', [
        ownerBound('links', 'owner_id', binding).select(knex.raw(LINK_COLUMNS)).orderBy('id'),
      ])
      return database.copy(binding.read, toCopy(knex(links).select(knex.raw(line)).orderBy('id'), format))
    },
  }
}

/** What the text of a change depends on; its values come apart. */
interface ChangeShape {
  readonly reach: Binding['reach']
  readonly loaded: boolean
  readonly versioned: boolean
}

const shapeOf = ({ reach, userId }: Binding, link: Link | PresumedLink, version: number | undefined): ChangeShape => ({
  reach: reach === 'own' && userId === null ? 'none' : reach,
  loaded: 'id' in link,
  versioned: version !== undefined,
})

const valuesOf = ({ userId }: Binding, link: Link | PresumedLink, version: number | undefined) => ({
  user: userId,
  was: link.code,
  owner: link.owner_id,
  id: 'id' in link ? link.id : undefined,
  version,
})

/** The types of what a change is made of. */
const TYPES = {
  user: 'bigint',
  was: 'text',
  owner: 'bigint',
  id: 'bigint',
  version: 'bigint',
  code: 'text',
  target: 'text',
} as const

type ValueOf = (name: keyof typeof TYPES) => FormValue

/**
 * The record that was decided about, within the caller's reach: this id, still with this owner and under this code; of
 * one that was presumed, the caller's own under this code.
 */
const exactly = ({ reach, loaded, versioned }: ChangeShape, value: ValueOf) => {
  const query = ownerBound('links', 'owner_id', { reach, userId: value('user') })
    .where('code', value('was'))
    .whereRaw('owner_id is not distinct from ?', [value('owner')])
  if (loaded) query.where('id', value('id'))
  return versioned ? query.where('version', value('version')) : query
}

const FIELDS = ['code', 'target'] as const

const updateOf = keptForms(
  TYPES,
  ({ fields, ...shape }: ChangeShape & { readonly fields: readonly (typeof FIELDS)[number][] }, value, given) => {
    const query = exactly(shape, value)
      .update({
        ...Object.fromEntries(fields.map((field) => [field, value(field)])),
        updated_at: knex.raw('now()'),
        version: knex.raw('version + 1'),
      })
      .returning([...COLUMNS])
    return given === null ? query : query.updateFrom(given)
  },
)

const deleteOf = keptForms(TYPES, (shape: ChangeShape, value, given) => {
  const query = exactly(shape, value).delete().returning('code')
  return given === null ? query : query.using([given])
})

const insertOf = keptForms(TYPES, (_: object, value, given) => {
  const link = { code: value('code'), target: value('target'), owner_id: value('owner') }
  const query =
    given === null
      ? knex('links').insert(link)
      : knex(knex.raw('links (??, ??, ??)', Object.keys(link))).insert(knex.from(given).select(...Object.values(link)))
  return query.returning([...COLUMNS])
})({})

/**
 * Sends a change of one link in a transaction that it may share with others' (group commit), and answers the link;
 * undefined where it met none.
 */
const inGroup = async <Row extends QueryResultRow>(
  database: Database,
  { entering, reach }: Binding,
  form: ChangeForm,
  values: Change['values'],
  code: string,
): Promise<Row | undefined> =>
  database.change<Row>({ code, entering, form, values, roleOfMany: reach === 'any' ? ROLES.any : EACH })

const create = async (
  database: Database,
  binding: Binding,
  repeat: Repeat | null,
  target: string,
  code: string | undefined,
): Promise<Link> => {
  for (let tried = 1; ; tried += 1) {
    const named = code ?? generateCode()
    try {
      const row =
        code === undefined && repeat === null
          ? await inGroup<LinkRow>(
              database,
              binding,
              insertOf,
              { code: named, target, owner: binding.userId },
              named,
            ).catch(refuseTakenCode)
          : (
              await insertOnce<LinkRow>(
                database,
                binding,
                repeat,
                knex('links')
                  .insert({ code: named, target, owner_id: binding.userId })
                  .returning([...COLUMNS]),
                { name: 'links_insert' },
              ).catch(refuseTakenCode)
            )[0]
      if (!row) throw new Error('an insert answered no row')
      return toLink(row)
    } catch (error) {
      const unlucky = code === undefined && error instanceof Refusal && error.code === 'code_taken'
      if (!unlucky || tried === TRIES) throw error
    }
  }
}

const refuseTakenCode = (error: unknown): never => {
  if (violates(error, 'links_code_key'))
    throw new Refusal('code_taken', { errors: [{ field: 'code', message: 'is taken' }] })
  throw error
}

const page = async (
  database: Database,
  binding: Binding,
  { limit, sort, cursor, q, owner_id: owner }: LinkPageQuery,
) => {
  const column = sort.endsWith('code') ? 'code' : 'id'
  const direction = sort.startsWith('-') ? 'desc' : 'asc'
  const query = ownerBound('links', 'owner_id', binding)
    .select(...COLUMNS)
    .orderBy(column, direction)
    .limit(limit + 1)
  if (owner !== undefined) query.where('owner_id', owner)
  if (q !== undefined)
    query.whereRaw('(strpos(lower(code), lower(?)) > 0 or strpos(lower(target), lower(?)) > 0)', [q, q])
  if (cursor !== undefined)
    query.where(column, direction === 'asc' ? '>' : '<', parseCursor(cursor, sort, column === 'id' ? isId : isCode))
  const rows = (await inTransaction<LinkRow>(database, binding.read, toKeptStatement(query))).map(toLink)
  const data = rows.slice(0, limit)
  const last = data.at(-1)
  return { data, next_cursor: rows.length > limit && last ? formatCursor({ sort, key: last[column] }) : null }
}

/** A row as pg gives it: bigint as text, times as Date. */
export interface LinkRow {
  readonly id: string
  readonly code: string
  readonly target: string
  readonly owner_id: string | null
  readonly created_at: Date
  readonly updated_at: Date
  readonly version: string
}

export const toLink = (row: LinkRow): Link => ({
  id: toId(row.id),
  code: row.code,
  target: row.target,
  owner_id: row.owner_id === null ? null : toId(row.owner_id),
  created_at: row.created_at.toISOString(),
  updated_at: row.updated_at.toISOString(),
  version: Number(row.version),
})
