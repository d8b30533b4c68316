import type { Context } from 'koa'

import { CallerChanged, PolicyReplaced, RecordChanged } from '../database/errors.js'
import type { Action } from '../domain/action.js'
import type { Decision } from '../domain/decision.js'
import type { Owned } from '../domain/link.js'
import { Refusal, policyUnavailable } from '../domain/refusal.js'
import { demandOf, headerOf, isForwarded } from '../input/header-lines.js'
import { idempotencyKeyOf } from '../input/idempotency-key.js'
import { parseInput, parseQuery, readBody, requireNoQuery } from '../input/input.js'
import type { Snapshot } from '../policy/snapshot.js'
import { linkIdOf, recordOfAnswer, recordOfRefusal } from './decision-record.js'
import { NO_DATA, isTaken, noRecord } from './route.js'
import type {
  Admitted,
  Answer,
  Caller,
  ItemLayers,
  Layers,
  PartRule,
  Right,
  Route,
  RouteSpec,
  Runtime,
} from './route.js'

/**
 * Makes a route: the only place where the four layers meet, and the only way into the route table. In order: who calls
 * (gateway), their role (endpoint), the record and `can()` (object), the request's own validation, then the change
 * through the data layer. One policy revision decides all of it; where that was replaced before the commit, all of it
 * is decided once more.
 */
export const route = <Params, Query, Body, Record extends Owned, Store, Part = null>(
  spec: RouteSpec<Params, Query, Body, Record, Store, Part>,
): Route => ({
  method: spec.method,
  path: spec.path,
  gateway: spec.gateway,
  endpoint: spec.endpoint,
  objectAction: spec.object.action,
  andAction: spec.object.and ?? 'none',
  dataRows: spec.data.rows,
  partAction: spec.part?.action ?? 'none',
  status: spec.status,
  params: isTaken(spec.params) ? spec.params : undefined,
  query: isTaken(spec.query) ? spec.query : undefined,
  body: isTaken(spec.body) ? spec.body : undefined,
  accepts: spec.accepts ?? ['json'],
  idempotent: spec.idempotent === true,
  form: spec.form,
  documentation: spec.documentation,
  serve: async (runtime, ctx) => {
    const request: LayeredRequest = {
      runtime,
      ctx,
      action: actionOf(spec),
      caller: null,
      decision: null,
      linkId: null,
      part: null,
      counted: new Set(),
    }
    try {
      const admitted = await runtime.layers.gateway.admit(ctx, spec.gateway)
      const body = once(() => readBodyOf(spec, ctx))
      const answer = await decideUnderOnePolicy(request, changes(spec), (snapshot) =>
        attempt(spec, request, admitted, snapshot, body),
      )
      recordAnswer(spec, request, answer)
      return answer
    } catch (error) {
      const record = recordOfRefusal(request, error)
      if (record !== null) {
        runtime.count(record)
        runtime.record(record)
      }
      throw error instanceof Refusal ? (spec.shape?.(error) ?? error) : error
    }
  },
})

/** A request on its way through the layers: what its decision record is made of. */
interface LayeredRequest {
  readonly runtime: Runtime
  readonly ctx: Context
  action: string
  /** null until the gateway knows: a refusal before that is recorded of nobody */
  caller: Caller | null
  decision: Decision | null
  linkId: string | null
  /** the decision about the part that was asked for */
  part: Decision | null
  /** what was counted against a limit: a second attempt counts nothing again */
  readonly counted: Set<string>
}

/** Counts a request against a limit beside that of the gateway, once however often it is attempted. */
const countOnce = async ({ counted }: LayeredRequest, what: string, count: () => Promise<void>): Promise<void> => {
  if (counted.has(what)) return
  counted.add(what)
  await count()
}

type Declared = Pick<Route, 'method' | 'gateway' | 'endpoint'> & {
  readonly object: { readonly action: string }
  readonly data: unknown
}

const actionOf = ({ gateway, endpoint, object }: Declared): string =>
  object.action !== 'none' ? object.action : endpoint !== 'none' ? endpoint : gateway.scope

/** True for a route that changes records. */
const changes = ({ method, data }: Declared): boolean => method !== 'get' && data !== NO_DATA

/** One way through the layers under one policy revision, in the order of the specification (section 1). */
const attempt = async <Params, Query, Body, Record extends Owned, Store, Part>(
  spec: RouteSpec<Params, Query, Body, Record, Store, Part>,
  request: LayeredRequest,
  admitted: Admitted,
  snapshot: Snapshot,
  readBodyOnce: () => Promise<unknown>,
): Promise<Answer> => {
  const { ctx } = request
  const { layers } = request.runtime
  const { requestId, deadline } = ctx.state
  deadline.require()
  request.action = actionOf(spec)
  request.caller = null
  request.decision = null
  request.linkId = null
  request.part = null
  ctx.state.revision = snapshot.revision

  // Gateway: who calls. The record is looked up at the same time; if both fail, the caller's refusal is the answer.
  const params = spec.params.safeParse(isTaken(spec.params) ? ctx.params : undefined)
  const identifying = layers.gateway.identify(admitted, spec.gateway, (known) => {
    request.caller = known
    ctx.state.userId = known.user?.id
  })
  const loading = params.success ? spec.object.load(params.data, identifying) : null
  const [caller, found] = await bothInOrder(identifying, loading)
  request.caller = caller
  ctx.state.userId = caller.user?.id
  request.linkId = found === null ? null : linkIdOf(spec.object.action, found)

  // Endpoint: the role.
  if (spec.endpoint !== 'none') layers.endpoint(snapshot, caller, spec.endpoint)

  // Object: the record (404; a path that cannot name one names none), then can() (403).
  if (!params.success) throw new Refusal('not_found')
  const { record, decision } = decideOn(request, snapshot, caller, spec.object.action, found)
  const { and } = spec.object
  if (and !== undefined) under(request, and, () => layers.object(snapshot, caller, and, record))
  request.decision = decision
  ctx.state.decision = decision ?? undefined

  // Only callers who may do the thing are told what is wrong with their input.
  const query = parseQuery(isTaken(spec.query) ? ctx.querystring : null, spec.query)
  if (!isTaken(spec.query) && spec.gateway.scope !== 'public') requireNoQuery(ctx.querystring)
  const part = spec.part?.asked(query) ? openPart(spec.part, request, caller, snapshot, spec.status) : null
  const rawBody = isTaken(spec.body) ? await readBodyOnce() : undefined
  if (spec.form !== undefined) ctx.state.sent = rawBody
  deadline.require()
  const body = parseInput(rawBody, spec.body, spec.inputFault, { stored: spec.storesInput !== false })

  // Data: the handler reaches rows through this store alone.
  const { method, path, status } = spec
  const idempotencyKey = spec.idempotent ? idempotencyKeyOf(ctx, { method, path, body: rawBody }) : null
  const store = layers.data(spec.data, { caller, snapshot, decision, requestId, status, deadline, idempotencyKey })
  return spec.handle({
    params: params.data,
    query,
    body,
    caller,
    record,
    store,
    part,
    snapshot,
    deadline,
    requestId,
    rightTo: (action, record, inForce = snapshot) => rightTo(layers, inForce, caller, action, record),
    cookie: (name) => (spec.gateway.from === undefined ? undefined : ctx.cookies.get(name)),
    countAccount: (account) => countOnce(request, 'account', () => layers.gateway.countAccount(ctx, account)),
    items: itemsOf(request, snapshot, caller, admitted),
    countLinkPassword: (link) => countOnce(request, 'password', () => layers.gateway.countLinkPassword(ctx, link)),
    querystring: ctx.querystring,
    visitor: { address: admitted.address, header: (name) => headerOf(ctx, name) },
    headers: {
      ifMatch: demandOf(ctx, 'if-match'),
      chunked: ctx.req.httpVersion !== '1.0',
      forwarded: isForwarded(ctx),
      ahead: ctx.method === 'HEAD' || /\bprefetch\b/i.test(headerOf(ctx, 'sec-purpose') ?? ''),
    },
  })
}

/** Requests of a bulk request: one for so many items. */
const ITEMS_OF_A_REQUEST = 50

const itemsOf = (request: LayeredRequest, snapshot: Snapshot, caller: Caller, admitted: Admitted): ItemLayers => {
  const { runtime, ctx } = request
  const { layers } = runtime
  return {
    begin: async (action, count) => {
      request.action = action
      const more = Math.ceil(count / ITEMS_OF_A_REQUEST) - 1
      await countOnce(request, 'items', () => layers.gateway.countMore(ctx, admitted, more))
      layers.gateway.requireScope(caller, action)
      layers.endpoint(snapshot, caller, action)
    },
    decide: (action, record, name) => {
      try {
        const { decision } = layers.object(snapshot, caller, action, record)
        runtime.count({ effect: 'allow', rule: decision.rule, layer: 'object' })
        return decision
      } catch (error) {
        const linkId = record === null ? null : linkIdOf(action, record)
        const refused = recordOfRefusal({ ...request, action, caller, linkId, name }, error)
        if (refused !== null) {
          runtime.count(refused)
          runtime.record(refused)
        }
        throw error
      }
    },
    isNewest: async () => (await newestSnapshot(runtime.policy)).revision === snapshot.revision,
  }
}

/** Asks the layers about an action, in their order. */
const rightTo = (layers: Layers, snapshot: Snapshot, caller: Caller, action: Action, record: Owned): Right => {
  try {
    layers.gateway.requireScope(caller, action)
    layers.endpoint(snapshot, caller, action)
    const { decision } = layers.object(snapshot, caller, action, record)
    return { allowed: true, layer: 'object', rule: decision.rule }
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    return { allowed: false, layer: error.layer, rule: error.decision?.rule ?? null }
  }
}

/** Asks the object layer, unless the route is about no action. */
const decideOn = <Record extends Owned>(
  { runtime: { layers } }: LayeredRequest,
  snapshot: Snapshot,
  caller: Caller,
  action: Route['objectAction'],
  found: Record | null,
): { readonly record: Record; readonly decision: Decision | null } => {
  if (action !== 'none') return layers.object(snapshot, caller, action, found)
  if (found === null) throw new Refusal('not_found')
  return { record: found, decision: null }
}

/** Asks about a second action; its refusal is recorded under that action. */
const under = <T>(request: LayeredRequest, action: string, ask: () => T): T => {
  const first = request.action
  request.action = action
  const answer = ask()
  request.action = first
  return answer
}

/** Takes the part that a request asks for through the layers. */
const openPart = <Part>(
  { action, object = action, data }: PartRule<never, Part>,
  request: LayeredRequest,
  caller: Caller,
  snapshot: Snapshot,
  status: number,
): Part => {
  const { layers } = request.runtime
  const { decision } = under(request, action, () => {
    layers.gateway.requireScope(caller, action)
    layers.endpoint(snapshot, caller, action)
    return layers.object(snapshot, caller, object, noRecord())
  })
  request.part = decision
  return layers.data(data, {
    caller,
    snapshot,
    decision,
    requestId: request.ctx.state.requestId,
    status,
    deadline: request.ctx.state.deadline,
    idempotencyKey: null,
  })
}

/**
 * Makes an attempt under the policy in force, and a second and last one where the first rested on something that was
 * replaced meanwhile (promise 1). A change that the policy refuses is refused only under the revision that the database
 * holds at that moment (promise 7).
 */
const decideUnderOnePolicy = async (
  { runtime: { policy }, ctx }: LayeredRequest,
  isChange: boolean,
  act: (snapshot: Snapshot) => Promise<Answer>,
): Promise<Answer> => {
  const demanded = demandOf(ctx, 'policy-at-least')
  const snapshot = demanded === undefined ? policy.current() : await demandedSnapshot(policy, demanded)
  try {
    return await act(snapshot)
  } catch (error) {
    const refusedByPolicy = isChange && isPolicyRefusal(error)
    if (!refusedByPolicy && !isOutdated(error)) throw error
    const newest = await newestSnapshot(policy)
    if (refusedByPolicy && newest.revision === snapshot.revision) throw error
    return await act(newest).catch((second: unknown) => {
      throw isOutdated(second) ? refusalOfOutdated(second) : second
    })
  }
}

/** The policy, the caller or the record was replaced between the decision and the commit; nothing was written. */
const isOutdated = (error: unknown): boolean =>
  error instanceof PolicyReplaced || error instanceof CallerChanged || error instanceof RecordChanged

const DECIDED_BY_POLICY: ReadonlySet<string> = new Set([
  'role_not_allowed',
  'policy_denied',
  'beyond_own_rights',
  'proposer_lost_rights',
])

const isPolicyRefusal = (error: unknown): boolean => error instanceof Refusal && DECIDED_BY_POLICY.has(error.code)

const refusalOfOutdated = (error: unknown): Refusal =>
  error instanceof PolicyReplaced ? policyUnavailable(error) : new Refusal('conflict', { cause: error })

/** What the database holds now. Where that cannot be in force (rows that somebody broke by hand): 503. */
const newestSnapshot = (policy: Runtime['policy']): Promise<Snapshot> =>
  policy.refresh().catch((error: unknown) => {
    throw policyUnavailable(error)
  })

const REVISION = /^\d{1,15}$/

/** `Policy-At-Least: REVISION`: decide under that revision or a newer one, or not at all. */
const demandedSnapshot = async (policy: Runtime['policy'], demanded: string): Promise<Snapshot> => {
  const current = policy.current()
  if (!REVISION.test(demanded)) {
    throw new Refusal('invalid_request', {
      errors: [{ field: 'Policy-At-Least', message: 'must be the number of a policy revision' }],
    })
  }
  if (current.revision >= Number(demanded)) return current
  const fresh = await newestSnapshot(policy)
  if (fresh.revision >= Number(demanded)) return fresh
  throw new Refusal('precondition_failed', {
    detail: `Policy revision ${fresh.revision} is in force; ${demanded} was demanded.`,
  })
}

/** A body that cannot be read becomes the refusal that the route's standard asks for; 413 stays what it is. */
const readBodyOf = (
  spec: Pick<RouteSpec<never, never, never, Owned, never>, 'accepts' | 'inputFault' | 'maxBody'>,
  ctx: Context,
) =>
  readBody(ctx, spec.accepts ?? ['json'], spec.maxBody).catch((error: unknown) => {
    const { inputFault: code } = spec
    if (code === undefined || !(error instanceof Refusal) || error.status === 413 || error.status >= 500) throw error
    throw new Refusal(code, error.errors ? { errors: error.errors } : { detail: error.message })
  })

/** Counts the decisions of an allowed request, and records those that no transaction has recorded. */
const recordAnswer = (spec: Declared, request: LayeredRequest, answer: Answer): void => {
  const { runtime, decision, part } = request
  if (decision !== null) {
    runtime.count({ effect: 'allow', rule: decision.rule, layer: 'object' })
    const isPublicRead = spec.gateway.scope === 'public'
    const isRecorded = changes(spec) && answer.unchanged !== true
    if (!isRecorded && (!isPublicRead || runtime.recordsPublicReads)) {
      runtime.record(recordOfAnswer(request, answer.status))
    }
  }
  if (part !== null) {
    runtime.count({ effect: 'allow', rule: part.rule, layer: 'object' })
    runtime.record(recordOfAnswer({ ...request, action: part.action, decision: part }, answer.status))
  }
}

/** Waits for both, if there is anything to wait for; where both fail, the first's error is thrown. */
const bothInOrder = async <A, B>(first: Promise<A> | A, second: Promise<B> | B): Promise<readonly [A, B]> => {
  // a failure of the second that nobody awaits yet must not end the process
  if (second instanceof Promise) second.catch(() => undefined)
  return [await first, await second]
}

const once = <T>(make: () => Promise<T>): (() => Promise<T>) => {
  let made: Promise<T> | undefined
  return () => (made ??= make())
}
