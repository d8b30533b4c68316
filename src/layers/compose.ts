import type { Context } from 'koa'

import { CallerChanged, PolicyReplaced } from '../database/errors.js'
import type { Decision } from '../domain/decision.js'
import type { Owned } from '../domain/link.js'
import { Refusal } from '../domain/refusal.js'
import { fingerprintOf, idempotencyKeyOf } from '../input/idempotency-key.js'
import { parseInput, parseQuery, readBody, requireNoQuery } from '../input/input.js'
import type { Snapshot } from '../policy/snapshot.js'
import { recordOfAnswer, recordOfRefusal } from './decision-record.js'
import type { Decided } from './decision-record.js'
import { RecordChanged } from './4-data/record-changed.js'
import { Unproven } from './4-data/unproven.js'
import type { Answer, Caller, Layers, ObjectRule, PartRule, Repeat, Route, RouteSpec } from './route.js'

/**
 * Makes a route: the only place where the four layers meet, and the only way into the route table.
 * Order: gateway; then, under one policy revision, endpoint, object, the request's own validation, data and handler.
 * Where the policy, the caller or the record was replaced before the commit, all of it is decided once more, under what
 * is in force now; where it rested on what was presumed, as soon as that is not proven.
 */
export const route = <
  Params = undefined,
  Query = undefined,
  Body = undefined,
  Record extends Owned | null = null,
  Store = undefined,
  Part = null,
>(
  spec: RouteSpec<Params, Query, Body, Record, Store, Part>,
): Route => ({
  method: spec.method,
  path: spec.path,
  gateway: spec.gateway,
  endpoint: spec.endpoint,
  objectAction: spec.object === 'none' ? 'none' : spec.object.action,
  dataRows: spec.data === 'none' ? 'none' : (spec.data.rows ?? 'bound to the caller'),
  partAction: spec.part?.action ?? 'none',
  status: spec.status,
  params: spec.params,
  query: spec.query,
  body: spec.body,
  accepts: spec.accepts ?? ['json'],
  repeatable: spec.repeatable === true,
  documentation: spec.documentation,
  serve: async (layers, ctx) => {
    const began: Began = { ctx, action: actionOf(spec), caller: null, decision: null, part: null }
    let body: Promise<unknown> | undefined
    const bodyOnce = () =>
      (body ??= readBody(ctx, spec.accepts ?? ['json']).catch((error: unknown) => {
        throw asInputFault(error, spec.inputFault)
      }))
    try {
      const presuming = spec.presumes === true
      await know(began, layers.gateway(ctx, spec.gateway, { presuming }))
      const answer = await settle(layers, began, {
        presuming,
        act: (attempt) => act(spec, layers, began, attempt, bodyOnce),
      })
      if (began.decision !== null) layers.count({ effect: 'allow', rule: began.decision.rule, layer: 'object' })
      if (began.decision !== null && recordsBeside(spec, layers, answer))
        layers.record(recordOfAnswer(began, answer.status))
      if (began.part !== null) {
        layers.count({ effect: 'allow', rule: began.part.rule, layer: 'object' })
        layers.record(recordOfAnswer({ ...began, action: began.part.action, decision: began.part }, answer.status))
      }
      return answer
    } catch (error) {
      const record = recordOfRefusal(began, error)
      if (record !== null) {
        layers.count(record)
        layers.record(record)
      }
      throw error
    }
  },
})

/** A request under way: what its decision record is made of, once it is over. */
type Began = { -readonly [Member in keyof Decided]: Decided[Member] } & {
  /** the decision about the part that was asked for */ part: Decision | null
}

const actionOf = ({
  gateway,
  endpoint,
  object,
}: Pick<RouteSpec<never, never, never, null, never>, 'gateway' | 'endpoint'> & {
  readonly object: 'none' | { readonly action: string }
}): string => (object !== 'none' ? object.action : endpoint !== 'none' ? endpoint : gateway.scope)

/**
 * A change's record commits in the change's transaction. What changes nothing is recorded here, but public reads only
 * where the installation wants them: there are as many as there are clicks.
 */
const recordsBeside = (
  { method, gateway, data }: Pick<Route, 'method' | 'gateway'> & { readonly data: unknown },
  layers: Layers,
  answer: Answer,
): boolean =>
  (gateway.scope !== 'public' || layers.recordsPublicReads) &&
  (method === 'get' || data === 'none' || answer.unchanged === true)

const act = async <Params, Query, Body, Record extends Owned | null, Store, Part>(
  spec: RouteSpec<Params, Query, Body, Record, Store, Part>,
  layers: Layers,
  began: Began,
  { caller, snapshot, presuming }: Attempt,
  body: () => Promise<unknown>,
): Promise<Answer> => {
  const { ctx } = began
  if (spec.endpoint !== 'none') layers.endpoint(snapshot, caller, spec.endpoint)
  const params = parsePath(spec, ctx)
  const { record, decision } =
    spec.object === 'none'
      ? { record: absent<Record>(), decision: null }
      : await layers.object(snapshot, caller, presuming ? presumed(spec.object, snapshot, caller) : spec.object, params)
  began.decision = decision
  if (decision !== null) ctx.state.decision = decision
  // The faults of an input are told only to callers who may do the thing at all.
  const query = parseQuery(ctx.querystring, spec.query)
  if (spec.query === undefined && spec.method !== 'get' && spec.gateway.scope !== 'public')
    requireNoQuery(ctx.querystring)
  const part =
    spec.part && query !== undefined && spec.part.asked(query)
      ? await openPart(spec.part, layers, began, caller, snapshot, spec.status)
      : null
  const parsedBody = spec.body
    ? parseInput(await body(), spec.body, spec.inputFault, { stored: spec.storesInput !== false })
    : absent<Body>()
  const repeat = spec.repeatable === true ? await repeatOf(spec, layers, ctx, caller, body) : null
  const store =
    spec.data === 'none'
      ? absent<Store>()
      : layers.data(spec.data, {
          caller,
          snapshot,
          decision,
          requestId: ctx.state.requestId,
          status: spec.status,
          repeat,
        })
  const answer = await spec.handle({
    params,
    query: query ?? absent<Query>(),
    body: parsedBody,
    caller,
    record,
    store,
    part,
    snapshot,
    repeat,
    countAccount: (account) => layers.countAccount(ctx, account),
    headers: {
      ifMatch: ctx.get('If-Match') || undefined,
      forwarded: ctx.get('X-Forwarded-For') !== '' || ctx.get('Forwarded') !== '',
    },
  })
  if (presuming && (answer.unchanged === true || repeat?.known === true)) throw new Unproven()
  return repeat?.known === true ? { ...answer, headers: { ...answer.headers, 'Idempotent-Replayed': 'true' } } : answer
}

/**
 * Looked up after every layer before the data has let the request through: an answer is given again to nobody who would
 * not get it now.
 */
const repeatOf = async (
  spec: Pick<Route, 'method' | 'path'>,
  layers: Layers,
  ctx: Context,
  caller: Caller,
  body: () => Promise<unknown>,
): Promise<Repeat | null> => {
  const idempotencyKey = idempotencyKeyOf(ctx)
  return idempotencyKey === undefined
    ? null
    : layers.repeat(caller, {
        idempotencyKey,
        fingerprint: fingerprintOf({ method: spec.method, path: spec.path, body: await body() }),
      })
}

/**
 * Takes the part that a request asks for through the layers. A refusal on the way is one of the part's action, and is
 * recorded as that.
 */
const openPart = async <Part>(
  { action, data }: PartRule<never, Part>,
  layers: Layers,
  began: Began,
  caller: Caller,
  snapshot: Snapshot,
  status: number,
): Promise<Part> => {
  const own = began.action
  began.action = action
  layers.scope(caller, action)
  layers.endpoint(snapshot, caller, action)
  const { decision } = await layers.object(snapshot, caller, { action, load: () => null, without: true }, undefined)
  began.action = own
  began.part = decision
  return layers.data(data, { caller, snapshot, decision, requestId: began.ctx.state.requestId, status, repeat: null })
}

/** A body that cannot be read, as the refusal that the route's standard asks for; 413 stays what it is. */
const asInputFault = (error: unknown, code: 'invalid_request' | undefined): unknown =>
  code !== undefined && error instanceof Refusal && error.status !== 413 && error.status < 500
    ? new Refusal(code, { detail: error.message, ...(error.errors ? { errors: error.errors } : {}) })
    : error

/**
 * The value of a part that the route does not declare; its type parameter has then fallen back to `undefined` or
 * `null`.
 */
const absent = <T>(): T => undefined as T

/** A path that cannot name a record names none. */
const parsePath = <Params>(
  spec: { readonly params?: RouteSpec<Params, unknown, unknown, null, unknown>['params'] },
  ctx: Context,
): Params => {
  if (!spec.params) return absent<Params>()
  const parsed = spec.params.safeParse(ctx.params)
  if (!parsed.success) throw new Refusal('not_found')
  return parsed.data
}

/** Who asks, once the gateway has said so: nobody until then, for what is refused on the way is recorded of nobody. */
const know = async (began: Began, admitted: Promise<Caller>): Promise<void> => {
  began.caller = null
  delete began.ctx.state.userId
  const caller = (began.caller = await admitted)
  if (caller.user !== null) began.ctx.state.userId = caller.user.id
}

/** One way through the layers: for whom, under which policy, and whether it may rest on what is presumed. */
interface Attempt {
  readonly caller: Caller
  readonly snapshot: Snapshot
  readonly presuming: boolean
}

/**
 * Makes an attempt under the policy in force, and another one where what it was decided by was replaced under it. One
 * that may presume comes before them: of that nothing is answered but the change that the database committed, which
 * proves it.
 */
const settle = async (
  layers: Layers,
  began: Began,
  { presuming, act }: { readonly presuming: boolean; readonly act: (attempt: Attempt) => Promise<Answer> },
): Promise<Answer> => {
  const { ctx } = began
  let snapshot = await demandedSnapshot(layers, ctx)
  for (let asked = presuming ? 0 : 1; ; asked += 1) {
    const { caller } = began
    if (caller === null) throw new Error('nobody is decided about')
    ctx.state.revision = snapshot.revision
    try {
      return await act({ caller, snapshot, presuming: asked === 0 })
    } catch (error) {
      if (asked === 0 ? !maybeMistaken(error) : !isReplaced(error)) throw error
      if (asked === 2) throw refusalOfReplaced(error)
      snapshot = error instanceof PolicyReplaced ? await newestSnapshot(layers) : layers.policy.current()
      began.decision = null
      delete ctx.state.decision
      if (caller.renew && (caller.remembered === true || error instanceof CallerChanged))
        await know(began, caller.renew())
    }
  }
}

/** The policy, the caller or the record was replaced between the decision and the commit, and nothing was written. */
const isReplaced = (error: unknown): boolean =>
  error instanceof PolicyReplaced || error instanceof CallerChanged || error instanceof RecordChanged

/**
 * What an attempt that presumed may have come to by what it presumed. A fault is none of it: whether that one has
 * committed, nobody knows.
 */
const maybeMistaken = (error: unknown): boolean =>
  isReplaced(error) || error instanceof Unproven || (error instanceof Refusal && error.status < 500)

const refusalOfReplaced = (error: unknown): Refusal =>
  error instanceof PolicyReplaced
    ? new Refusal('policy_unavailable', { headers: { 'Retry-After': '1' }, cause: error })
    : new Refusal('conflict', { cause: error })

/**
 * The rule of the object layer with the caller's own record in place of the one that would be loaded. Only where
 * nothing but an own one may be touched: where any may be, the decision about it is another.
 */
const presumed = <Params, Record extends Owned | null>(
  rule: ObjectRule<Params, Record>,
  snapshot: Snapshot,
  { user }: Caller,
): ObjectRule<Params, Record> => {
  const { presume } = rule
  return presume === undefined || user === null || snapshot.reach(user.role, rule.action) !== 'own'
    ? rule
    : { ...rule, load: (params) => presume(params, user) }
}

/**
 * What the database holds now. Where that cannot be in force (rows that somebody broke by hand), nothing that needs it
 * is decided: 503.
 */
const newestSnapshot = (layers: Layers): Promise<Snapshot> =>
  layers.policy.refresh().catch((error: unknown) => {
    throw error instanceof Refusal
      ? error
      : new Refusal('policy_unavailable', { headers: { 'Retry-After': '1' }, cause: error })
  })

const REVISION = /^\d{1,15}$/

/** `Policy-At-Least: REVISION`: decide under that revision or a newer one, or not at all. */
const demandedSnapshot = async (layers: Layers, ctx: Context): Promise<Snapshot> => {
  const demanded = ctx.get('Policy-At-Least')
  const current = layers.policy.current()
  if (demanded === '') return current
  if (!REVISION.test(demanded)) {
    throw new Refusal('invalid_request', {
      errors: [{ field: 'Policy-At-Least', message: 'must be the number of a policy revision' }],
    })
  }
  if (current.revision >= Number(demanded)) return current
  const fresh = await newestSnapshot(layers)
  if (fresh.revision >= Number(demanded)) return fresh
  throw new Refusal('precondition_failed', {
    detail: `Policy revision ${fresh.revision} is in force; ${demanded} was demanded.`,
  })
}
