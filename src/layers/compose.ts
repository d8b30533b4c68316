import type { Context } from 'koa'

import type { Decision } from '../domain/decision.js'
import type { Owned } from '../domain/link.js'
import { once } from '../domain/once.js'
import { Refusal } from '../domain/refusal.js'
import { demandOf, headerOf } from '../input/header-lines.js'
import { idempotencyKeyOf } from '../input/idempotency-key.js'
import { parseInput, parseQuery, readBody, requireNoQuery } from '../input/input.js'
import type { Snapshot } from '../policy/snapshot.js'
import { POLICY_AT_LEAST, decideUnderOnePolicy } from './decide-under-one-policy.js'
import { linkCodeOf, linkIdOf, recordOfAnswer } from './decision-record.js'
import { HandlerLayers } from './handler-layers.js'
import { LayeredRequest } from './layered-request.js'
import { RequestHeaders } from './request-headers.js'
import { asksPolicy, isTaken, nothing, type Answer, type Route, type RouteSpec } from './route.js'
import { NO_DATA, noRecord, type PartRule } from './rules.js'
import type { Admitted, Caller } from './caller.js'

/**
 * Makes a route. This is the only place where the four layers meet, and the only way into the route table. A request
 * passes, in order: the caller (gateway), their role (endpoint), the record and `can()` (object), input validation, and
 * the handler with its store (data). One policy revision decides all of it. If that revision is replaced before the
 * commit, the whole request is decided once more.
 */
export const route = <Params, Query, Body, Record extends Owned, Store, Part = null>(
  spec: RouteSpec<Params, Query, Body, Record, Store, Part>,
): Route => {
  const action = actionOf(spec)
  const isChange = spec.method !== 'get' && spec.data !== NO_DATA
  const isDecided = asksPolicy({ ...spec, objectAction: spec.object.action })
  const { method, path, gateway, endpoint, status, documentation } = spec
  return {
    method,
    path,
    gateway,
    endpoint,
    status,
    documentation,
    objectAction: spec.object.action,
    andAction: spec.object.and ?? 'none',
    dataRows: spec.data.rows,
    isChange,
    partAction: spec.part?.action ?? 'none',
    params: isTaken(spec.params) ? spec.params : undefined,
    query: isTaken(spec.query) ? spec.query : undefined,
    body: isTaken(spec.body) ? spec.body : undefined,
    accepts: spec.accepts ?? ['json'],
    inputFault: spec.inputFault,
    idempotent: spec.idempotent === true,
    form: spec.form,
    serve: async (runtime, ctx) => {
      const request = new LayeredRequest(runtime, ctx, action)
      try {
        const { layers } = runtime
        const admitted = await layers.gateway.admit(ctx, gateway)
        const demanded = isDecided ? demandOf(ctx, POLICY_AT_LEAST) : undefined
        // a demand may be refused (412) before the first attempt, but never to somebody whom the gateway refuses
        if (demanded !== undefined)
          await layers.gateway.identify(ctx, admitted, gateway, (known) => request.identify(known))
        const body = once(() => readBodyOf(spec, ctx))
        const isPublic = gateway.scope === 'public'
        const answer = await decideUnderOnePolicy(request, { isChange, isPublic, demanded }, (snapshot) =>
          attempt(spec, request, admitted, snapshot, body),
        )
        recordAnswer(request, answer, { isChange, isPublic })
        return answer
      } catch (error) {
        request.recordRefusal(error)
        throw error instanceof Refusal ? (spec.shape?.(error) ?? error) : error
      }
    },
  }
}

type Declared = Pick<Route, 'gateway' | 'endpoint'> & { readonly object: { readonly action: string } }

/** What a request is recorded as. Until the body of a bulk request is read, nobody knows the action of its items. */
const actionOf = ({ gateway: { scope }, endpoint, object }: Declared): string => {
  if (object.action !== 'none') return object.action
  if (endpoint !== 'none') return endpoint
  return scope === 'items' ? 'link:bulk' : scope
}

/** One pass through the layers under one policy revision, in the order of the specification (section 1). */
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
  request.startAttempt(snapshot)

  // Gateway: the caller. The record is loaded concurrently; if both fail, the caller's refusal wins.
  const params = spec.params.safeParse(isTaken(spec.params) ? ctx.params : undefined)
  const identifying = layers.gateway.identify(ctx, admitted, spec.gateway, (known) => request.identify(known))
  const loading = params.success ? spec.object.load(params.data, identifying) : null
  const [caller, found] = await bothInOrder(identifying, loading)
  request.identify(caller)
  request.linkId = found === null ? null : linkIdOf(spec.object.action, found)
  request.name = found === null ? undefined : linkCodeOf(spec.object.action, found)

  // Endpoint: the role.
  if (spec.endpoint !== 'none') layers.endpoint(snapshot, caller, spec.endpoint)

  // Object: the record (404, also for malformed path parameters), then can() (403).
  if (!params.success) throw new Refusal('not_found')
  const { record, decision } = decideOn(request, snapshot, caller, spec.object.action, found)
  const { and } = spec.object
  if (and !== undefined) request.under(and, () => layers.object(snapshot, caller, and, record))
  request.decision = decision
  ctx.state.decision = decision ?? undefined
  spec.object.requireVisible?.(record, caller, snapshot)

  // Validation comes after authorization: only callers who have the right learn what is wrong with their input.
  const query = isTaken(spec.query) ? parseQuery(ctx.querystring, spec.query) : nothing(spec.query)
  // A public route ignores unknown query parameters: other sites append some (`?utm_source=…`).
  if (!isTaken(spec.query) && spec.gateway.scope !== 'public') requireNoQuery(ctx.querystring)
  const part = spec.part?.asked(query) ? openPart(spec.part, request, caller, snapshot, spec.status) : null
  const rawBody = isTaken(spec.body) ? await readBodyOnce() : undefined
  if (spec.form !== undefined) ctx.state.sent = rawBody
  deadline.require()
  const body = isTaken(spec.body)
    ? parseInput(rawBody, spec.body, spec.inputFault, { stored: spec.storesInput !== false })
    : nothing(spec.body)

  // Data: the store is the handler's only access to rows.
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
    layers: new HandlerLayers(request, snapshot, caller, admitted),
    headers: new RequestHeaders(ctx, spec.gateway.from !== undefined),
    visitor: { address: admitted.address, header: (name) => headerOf(ctx, name) },
    querystring: ctx.querystring,
  })
}

/** Runs the object layer, unless the route has no action. */
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

/** Checks an optional part of the answer in the layers, then opens its store. */
const openPart = <Part>(
  { action, object = action, data }: PartRule<never, Part>,
  request: LayeredRequest,
  caller: Caller,
  snapshot: Snapshot,
  status: number,
): Part => {
  const { layers } = request.runtime
  const { decision } = request.under(action, () => {
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

/** Reads the body. If it is unreadable, throws the refusal of the route's standard; 413 and 5xx stay as they are. */
const readBodyOf = (
  spec: Pick<RouteSpec<never, never, never, Owned, never>, 'accepts' | 'inputFault' | 'maxBody'>,
  ctx: Context,
) =>
  readBody(ctx, spec.accepts ?? ['json'], spec.maxBody).catch((error: unknown) => {
    const { inputFault: code } = spec
    if (code === undefined || !(error instanceof Refusal) || error.status === 413 || error.status >= 500) throw error
    throw new Refusal(code, error.errors ? { errors: error.errors } : { detail: error.detail ?? `${error.title}.` })
  })

/** Counts the decisions of an allowed request, and records those that no transaction has written. */
const recordAnswer = (
  request: LayeredRequest,
  answer: Answer,
  { isChange, isPublic }: { readonly isChange: boolean; readonly isPublic: boolean },
): void => {
  const { runtime, decision, part, items } = request
  for (const item of items) {
    if (item.decision === null) request.recordRefusal(item.refusal, item)
    else {
      runtime.count({ effect: 'allow', rule: item.decision.rule, layer: 'object' })
      if (answer.unchanged === true) runtime.record(recordOfAnswer(item, answer.status))
    }
  }
  if (decision !== null) {
    runtime.count({ effect: 'allow', rule: decision.rule, layer: 'object' })
    const isRecorded = isChange && answer.unchanged !== true
    if (!isRecorded && (!isPublic || runtime.recordsPublicReads)) {
      runtime.record(recordOfAnswer(request, answer.status))
    }
  }
  if (part !== null) {
    runtime.count({ effect: 'allow', rule: part.rule, layer: 'object' })
    runtime.record(recordOfAnswer({ ...request, action: part.action, decision: part }, answer.status))
  }
}

/** Awaits both. If both reject, throws the first one's error. */
const bothInOrder = async <A, B>(first: Promise<A> | A, second: Promise<B> | B): Promise<readonly [A, B]> => {
  // the second may reject while only the first is awaited: without a handler, that would end the process
  if (second instanceof Promise) second.catch(() => undefined)
  return [await first, await second]
}
