import { z } from 'zod'

import { PolicyReplaced } from '../database/errors.js'
import type { FindLink, Link } from '../domain/link.js'
import { pauseEvery } from '../domain/pause-every.js'
import { Refusal } from '../domain/refusal.js'
import { problemOf } from '../http/problem.js'
import { parseInput } from '../input/input.js'
import { ACTION_OF, STATUS, codeTaken, type BulkItem, type BulkLinks } from '../layers/4-data/bulk-links.js'
import { timesOutOfOrder, type Times } from '../layers/4-data/link-rows.js'
import { generateCode } from '../layers/4-data/links.js'
import { route } from '../layers/compose.js'
import { NO_INPUT, type Route } from '../layers/route.js'
import { NO_OBJECT, noRecord, type DataRule } from '../layers/rules.js'
import type { HandlerLayers } from '../layers/handler-layers.js'
import { inputSchema } from '../openapi/schemas.js'
import { byId, codeOf, isItem, refuseTaken } from './bulk-conflicts.js'
import { BulkQuery, BulkView, bulkItems, bulkRequest, type Operation } from './bulk-schemas.js'
import { requireMatch, wholeAt } from './link-view.js'
import { Code, Id } from './schemas.js'
import type { OwnPlace } from './target.js'

const MAX_BODY = 1_024 * 1_024

/** How many items are decided before yielding to the event loop. */
const AT_ONCE = 2

type Records = ReadonlyMap<string, Link | null>
/** whether there is a user with this id */
type Users = ReadonlyMap<string, boolean>
const NamesLink = z.looseObject({ link: Code }).transform(({ link }) => link)
/** The code may belong to another link by now. */
const MeansLink = z.looseObject({ id: Id.optional() }).transform(({ id }) => id)
/** A link in the trash no longer owns its code, so its id names it. */
const NamesDeleted = z.looseObject({ id: Id }).transform(({ id }) => id)
const namesIn = (operation: Operation) => (operation === 'restore' ? NamesDeleted : NamesLink)
const NamesOwner = z.looseObject({ owner_id: Id }).transform(({ owner_id: id }) => id)

/** The records that the items name, each looked up once. */
const foundIn = async <Found>(
  raw: readonly unknown[],
  schema: z.ZodType<string>,
  find: (name: string) => Promise<Found>,
): Promise<ReadonlyMap<string, Found>> => {
  const names = raw.flatMap((item) => {
    const parsed = schema.safeParse(item)
    return parsed.success ? [parsed.data] : []
  })
  return new Map(await Promise.all([...new Set(names)].map(async (name) => [name, await find(name)] as const)))
}

/** Many links in one request. Each item is decided and recorded by itself. */
export const bulkRoute = ({
  findLink,
  findDeletedLink,
  isUser,
  bulk,
  place,
}: {
  readonly findLink: FindLink
  readonly findDeletedLink: (id: string) => Promise<Link | null>
  readonly isUser: (id: string) => Promise<boolean>
  readonly bulk: DataRule<BulkLinks>
  readonly place: OwnPlace
}): Route => {
  const itemOf = bulkItems(place)
  const whole = wholeAt(place.baseUrl)

  /** Parses the rest of an item that names a link: the change itself. */
  const parseRest = (operation: Exclude<Operation, 'create'>, raw: unknown, users: Users) => {
    const none = { changes: {}, owner: null, if_match: undefined }
    if (operation === 'restore') {
      const { id: _id, ...changes } = parseInput(raw, itemOf.restore)
      return { ...none, changes }
    }
    if (operation === 'transfer') {
      const { owner_id: owner, if_match } = parseInput(raw, itemOf.transfer)
      if (users.get(owner) === true) return { ...none, owner, if_match }
      throw new Refusal('validation_failed', { errors: [{ field: 'owner_id', message: 'must be a user' }] })
    }
    if (operation === 'delete') return { ...none, if_match: parseInput(raw, itemOf.delete).if_match }
    const { link: _link, id: _id, if_match, ...changes } = parseInput(raw, itemOf.update)
    return { ...none, changes, if_match }
  }

  /** Takes one item through validation and the layers. Throws its Refusal. */
  const decide = (
    operation: Operation,
    raw: unknown,
    { found, users }: { readonly found: Records; readonly users: Users },
    layers: HandlerLayers,
  ): BulkItem => {
    if (operation === 'create') {
      const { code: given, ...fields } = parseInput(raw, itemOf.create)
      requireOrder(fields)
      const link = { ...fields, code: given ?? generateCode() }
      return { operation, link, decision: layers.decideItem('link:create', noRecord(), link.code) }
    }
    const name = parseInput(raw, namesIn(operation))
    const id = parseInput(raw, MeansLink)
    const named = found.get(name) ?? null
    const record = id === undefined || id === named?.id ? named : null
    const code = operation === 'restore' ? (record?.code ?? null) : name
    const decision = layers.decideItem(ACTION_OF[operation], record, code)
    // already refused above, which the type does not express
    if (record === null) throw new Refusal('not_found')
    const { changes, owner, if_match } = parseRest(operation, raw, users)
    requireOrder(changes, record)
    return { operation, record, decision, changes, owner, version: requireMatch(record, if_match) }
  }

  const decideAll = async (operation: Operation, raw: readonly unknown[], layers: HandlerLayers) => {
    const find = operation === 'restore' ? findDeletedLink : findLink
    const found: Records = operation === 'create' ? new Map() : await foundIn(raw, namesIn(operation), find)
    const users: Users = operation === 'transfer' ? await foundIn(raw, NamesOwner, isUser) : new Map()
    const pause = pauseEvery(AT_ONCE)
    const decided: (BulkItem | Refusal)[] = []
    for (const item of raw) {
      decided.push(orRefusal(() => decide(operation, item, { found, users }, layers)))
      await pause()
    }
    return decided
  }

  /** The outcome of each item; items missing from the map were not done because of another one. */
  const run = async (
    store: BulkLinks,
    items: readonly BulkItem[],
    atomic: boolean,
    dryRun: boolean,
  ): Promise<ReadonlyMap<BulkItem, Link | Refusal | typeof DRY>> => {
    const taken = async (): Promise<ReadonlyMap<BulkItem, Refusal>> => {
      const refusals = await Promise.all(items.map(async (item) => [item, await takenCode(item)] as const))
      return new Map(refusals.flatMap(([item, refusal]) => (refusal === null ? [] : [[item, refusal] as const])))
    }
    if (dryRun) {
      const refused = await taken()
      return atomic && refused.size > 0 ? refused : new Map(items.map((item) => [item, refused.get(item) ?? DRY]))
    }
    if (!atomic) return store.each(items)
    return store.all(items).catch((error: unknown) => {
      // nothing was done: find out which items are at fault
      if (error instanceof Refusal && error.code === 'code_taken') return taken()
      throw error
    })
  }

  /** One item of the answer. */
  const view = (operation: Operation, index: number, outcome: Link | Refusal | typeof DRY, requestId: string) => {
    if (outcome instanceof Refusal) return { index, status: outcome.status, problem: problemOf(outcome, requestId) }
    const isShown = outcome !== DRY && operation !== 'delete'
    return { index, status: STATUS[operation], ...(isShown && { link: whole(outcome) }) }
  }

  /** The refusal of an item that wants another link's code. */
  const takenCode = async (item: BulkItem): Promise<Refusal | null> => {
    const wanted = codeOf(item)
    if (wanted === undefined) return null
    const other = await findLink(wanted)
    const isOther = other !== null && (item.operation === 'create' || other.id !== item.record.id)
    return isOther ? codeTaken('is taken') : null
  }

  return route({
    method: 'post',
    path: '/links/bulk',
    status: 200,
    ...NO_INPUT,
    gateway: { scope: 'items', quota: 'caller' },
    endpoint: 'none',
    object: NO_OBJECT,
    data: bulk,
    query: BulkQuery,
    body: bulkRequest(Object.values(itemOf).map(inputSchema)),
    maxBody: MAX_BODY,
    handle: async ({ store, query, body: { operation, items: raw, atomic }, layers, requestId }) => {
      const { dry_run: dryRun } = query
      await layers.beginItems(ACTION_OF[operation], raw.length)
      const outcomes = refuseTaken(await decideAll(operation, raw, layers))
      if (outcomes.some(isPolicyRefusal) && !(await layers.isNewest())) throw new PolicyReplaced()
      const allowed = outcomes.filter(isItem).toSorted(byId)
      const results = atomic && allowed.length < raw.length ? NONE : await run(store, allowed, atomic, dryRun)
      const all = outcomes.map((each) => (isItem(each) ? (results.get(each) ?? new Refusal('not_done')) : each))
      const refused = all.filter((each) => each instanceof Refusal).length
      const pause = pauseEvery(AT_ONCE)
      const shown: unknown[] = []
      for (const [index, each] of all.entries()) {
        shown.push(view(operation, index, each, requestId))
        await pause()
      }
      const body = { results: shown, done: all.length - refused, refused }
      return { status: 200, body, unchanged: dryRun }
    },
    documentation: {
      id: 'changeManyLinks',
      refusals: ['conflict', 'code_taken', 'role_not_allowed'],
      example: {
        body: {
          operation: 'create',
          atomic: true,
          items: [{ target: 'https://example.com/1' }, { target: 'https://example.com/2', tags: ['campaign'] }],
        },
      },
      summary: 'Change many links at once',
      description:
        'Creates, changes, deletes, transfers or restores up to 1,000 links. With `atomic`, all or nothing; without ' +
        'it, each item has its own result. An `Idempotency-Key` has no effect: give new links codes, so that a ' +
        'repetition finds them taken and makes none twice.',
      tag: 'links',
      response: BulkView,
    },
  })
}

/** Stands for the link in a dry run: the item would be done. */
const DRY = 'dry run'
const NONE: ReadonlyMap<BulkItem, Refusal> = new Map()

const orRefusal = <T>(decide: () => T): T | Refusal => {
  try {
    return decide()
  } catch (error) {
    if (error instanceof Refusal && error.status < 500) return error
    throw error
  }
}

const isPolicyRefusal = (outcome: unknown): boolean => outcome instanceof Refusal && outcome.code === 'policy_denied'

/** The database's constraint links_times_in_order, checked here to know which item breaks it. */
const requireOrder = (changes: Times, record: Times = {}): void => {
  const { starts_at: start, expires_at: end } = { ...record, ...changes }
  if (typeof start === 'string' && typeof end === 'string' && end <= start) throw timesOutOfOrder(changes)
}
