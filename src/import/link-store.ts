import type { Database } from '../database/database.js'
import type { Statement } from '../database/statement.js'
import { asIdentity } from '../identity/as-identity.js'
import { generateCode } from '../layers/4-data/links.js'
import type { ImportedLink } from './to-link.js'

export type Outcome = { readonly kind: 'made' | 'unchanged' } | { readonly kind: 'refused'; readonly reason: string }

interface LinkStoreParts {
  readonly database: Database
  readonly hashPassword: (password: string) => Promise<string>
  /** true: reports the outcomes without writing anything */
  readonly dryRun: boolean
}

const MADE: Outcome = { kind: 'made' }
const UNCHANGED: Outcome = { kind: 'unchanged' }
const refused = (reason: string): Outcome => ({ kind: 'refused', reason })

/** A free code may be taken by a request before the import writes it. */
const TRIES = 3

/**
 * Writes imported links, each with its log entry (migrations/functions/record_change.sql). Raw SQL: there is no caller
 * to whose rows a query builder could be bound. Whoever runs the command line owns the installation. A link that
 * exists with the same owner and target is `unchanged`, so a file may be imported again. A dry run writes nothing, and
 * decides as if its earlier links existed.
 */
export const createLinkStore = ({ database, hashPassword, dryRun }: LinkStoreParts) => {
  const users = createUsers(database)
  // in a dry run, earlier links of the same file are not in the database
  const planned: Planned = { byCode: new Map(), targets: new Set() }
  const write = dryRun
    ? async (links: readonly NewLink[]): Promise<ReadonlySet<string>> => {
        for (const { code, link } of links) register(planned, code, link)
        return new Set(links.map(({ code }) => code))
      }
    : (links: readonly NewLink[]) => insert(database, links, hashPassword)
  return {
    /** Reserves ids up to this one for imported links. */
    reserveIds: async (upto: bigint): Promise<void> => {
      if (!dryRun) await database.run({ text: 'select reserve_link_ids($1)', values: [upto] })
    },
    /** Gathers the planner's statistics, for searches among many new links. Never fails: autovacuum does it later. */
    analyze: async (): Promise<void> => {
      if (!dryRun) await database.run({ text: 'select analyze_links()' }).catch(() => undefined)
    },
    /** Creates all links that it can, in one transaction. Resolves with an outcome for each, in order. */
    take: async (links: readonly ImportedLink[]): Promise<readonly Outcome[]> => {
      const outcomes = new Map<ImportedLink, Outcome>()
      let waiting = links
      for (let tried = 0; waiting.length > 0 && tried < TRIES; tried += 1) {
        await users.look(waiting)
        const known = await lookUp(database, waiting)
        const toMake: NewLink[] = []
        for (const link of waiting) {
          const decided = users.exists(link.owner_id) ? decide(link, known, planned) : refused(unknownOwner(link))
          if ('kind' in decided) outcomes.set(link, decided)
          else toMake.push(decided)
        }
        const made = toMake.length === 0 ? new Set() : await write(toMake)
        for (const { code, link } of toMake) if (made.has(code)) outcomes.set(link, MADE)
        waiting = waiting.filter((link) => !outcomes.has(link))
      }
      return links.map((link) => outcomes.get(link) ?? refused('code is taken'))
    },
  }
}

export type LinkStore = ReturnType<typeof createLinkStore>

/** Links by what a later one may have in common with them. */
interface Planned {
  readonly byCode: Map<string, Pick<ImportedLink, 'target' | 'owner_id'>>
  /** targets of owners, for links without a code */
  readonly targets: Set<string>
}

/** What exists already. */
interface Known extends Planned {
  /** taken ones */
  readonly ids: Set<string>
}

const register = ({ byCode, targets }: Planned, code: string, link: ImportedLink): void => {
  byCode.set(code, link)
  targets.add(targetKey(link.owner_id, link.target))
}

interface NewLink {
  readonly link: ImportedLink
  readonly code: string
  /** null: the database assigns one */
  readonly id: string | null
}

const NO_PASSWORD =
  'is protected by a password that is not in the file: give it a new one (password), or say that it has none'

/** Decides about one link, and registers its code and id, so that later links of the same batch see them. */
const decide = (link: ImportedLink, known: Known, planned: Planned): Outcome | NewLink => {
  const { owner_id: owner, target } = link
  const key = targetKey(owner, target)
  if (link.code === null && (known.targets.has(key) || planned.targets.has(key))) return UNCHANGED
  const code = link.code ?? generateCode()
  const there = known.byCode.get(code) ?? planned.byCode.get(code)
  if (there !== undefined) {
    if (there.owner_id !== owner) return refused(`code ${code} is taken by a link of another owner`)
    return there.target === target ? UNCHANGED : refused(`code ${code} is taken by a link with another target`)
  }
  if (link.lacksPassword) return refused(NO_PASSWORD)
  const id = link.id === null || known.ids.has(link.id) ? null : link.id
  if (id !== null) known.ids.add(id)
  register(known, code, link)
  return { link, code, id }
}

const targetKey = (owner: string | null, target: string): string => `${owner ?? ''} ${target}`

const unknownOwner = ({ owner_id: id }: ImportedLink): string =>
  `owner_id ${id} is not a user of this installation: choose an owner for the links (--owner)`

const lookUp = async (database: Database, links: readonly ImportedLink[]): Promise<Known> => {
  const codes = links.flatMap(({ code }) => code ?? [])
  const ids = links.flatMap(({ id }) => id ?? [])
  const uncoded = links.filter(({ code }) => code === null)
  const targets = uncoded.map(({ target }) => target)
  const owners = [...new Set(uncoded.flatMap(({ owner_id: owner }) => owner ?? []))]
  const [byCode, taken, owned, ownerless] = await asIdentity(database, [
    { text: 'select code, target, owner_id from links where code = any($1)', values: [codes] },
    {
      text: `select id from links where id = any($1::bigint[])
         union all select id from deleted_links where id = any($1::bigint[])
         union all select link_ids_with_visits($1::bigint[])`,
      values: [ids],
    },
    {
      text: 'select owner_id, target from links where owner_id = any($1::bigint[]) and target = any($2)',
      values: [owners, targets],
    },
    {
      text: 'select owner_id, target from links where owner_id is null and target = any($1)',
      values: [uncoded.some(({ owner_id: owner }) => owner === null) ? targets : []],
    },
  ])
  return {
    byCode: new Map(byCode?.rows.map((row) => [row.code, row])),
    targets: new Set(
      [...(owned?.rows ?? []), ...(ownerless?.rows ?? [])].map((row) => targetKey(row.owner_id, row.target)),
    ),
    ids: new Set(taken?.rows.map((row) => row.id)),
  }
}

/** Caches which user ids exist. */
const createUsers = (database: Database) => {
  const looked = new Map<string, boolean>()
  return {
    look: async (links: readonly ImportedLink[]): Promise<void> => {
      const ids = [...new Set(links.flatMap(({ owner_id: owner }) => owner ?? []))].filter((id) => !looked.has(id))
      if (ids.length === 0) return
      const [found] = await asIdentity(database, [
        { text: 'select id from users where id = any($1::bigint[])', values: [ids] },
      ])
      const there = new Set(found?.rows.map((row) => row.id))
      for (const id of ids) looked.set(id, there.has(id))
    },
    exists: (owner: string | null): boolean => owner === null || looked.get(owner) === true,
  }
}

const COLUMNS = {
  code: 'text',
  target: 'text',
  owner_id: 'bigint',
  title: 'text',
  note: 'text',
  tags: 'text[]',
  status: 'smallint',
  active: 'boolean',
  starts_at: 'timestamptz',
  expires_at: 'timestamptz',
  max_visits: 'integer',
  password_hash: 'text',
  forward_query: 'boolean',
} as const
const NAMES = Object.keys(COLUMNS).join(', ')
const TYPED = Object.entries({ ...COLUMNS, created_at: 'timestamptz', updated_at: 'timestamptz', id: 'bigint' })
  .map((column) => column.join(' '))
  .join(', ')

/** Inserts links with their own ids, or with ids that the database assigns. */
const insertion = (named: 'with ids' | 'without ids', rows: readonly object[]): Statement => ({
  text: `insert into links (${named === 'with ids' ? 'id, ' : ''}${NAMES}, created_at, updated_at)
    ${named === 'with ids' ? 'overriding system value' : ''}
    select ${named === 'with ids' ? 'id, ' : ''}${NAMES}, coalesce(created_at, now()), coalesce(updated_at, now())
      from jsonb_to_recordset($1::jsonb) as r (${TYPED})
    on conflict do nothing returning code`,
  values: [JSON.stringify(rows)],
})

/** Resolves with the codes of the inserted links. */
const insert = async (
  database: Database,
  links: readonly NewLink[],
  hashPassword: LinkStoreParts['hashPassword'],
): Promise<ReadonlySet<string>> => {
  const rows: object[] = []
  for (const { link, code, id } of links) {
    // sequentially: each hash takes 19 MiB
    const hash = link.password === null ? null : await hashPassword(link.password)
    rows.push({ ...link, code, id, password_hash: hash })
  }
  const results = await asIdentity(database, [
    insertion(
      'with ids',
      rows.filter((_, at) => links[at]?.id !== null),
    ),
    insertion(
      'without ids',
      rows.filter((_, at) => links[at]?.id === null),
    ),
  ])
  return new Set(results.flatMap((result) => result.rows.map((row) => row.code)))
}
