import type { Context } from 'koa'
import { z } from 'zod'

import type { AccessToken } from '../domain/access-token.js'
import type { Action, Scope } from '../domain/action.js'
import type { Deadline } from '../domain/deadline.js'
import type { DecisionRecord } from '../domain/decision-record.js'
import type { Decision } from '../domain/decision.js'
import type { Owned } from '../domain/link.js'
import type { Fault, Layer, Refusal } from '../domain/refusal.js'
import type { User } from '../domain/user.js'
import type { Visitor } from '../domain/visitor.js'
import type { IdempotencyKey } from '../input/idempotency-key.js'
import type { PageIn } from '../pages/pages.js'
import type { Snapshot } from '../policy/snapshot.js'
import type { Documentation } from './documentation.js'
import type { RequestHeaders } from './request-headers.js'

/** Who made the request, according to the gateway: a user with the scopes of their token, or an anonymous caller. */
export interface Caller {
  readonly user: User | null
  /** the token's scopes; empty for an anonymous caller */
  readonly scopes: ReadonlySet<string>
  /** the token's id (`jti`), for the decision record; never the token */
  readonly tokenId: string | null
  /** the sign-in that issued the token; null if none did */
  readonly signIn: string | null
  /** a personal token's row id; null for every other token */
  readonly personalToken: string | null
  /** the user's identity at an external issuer; null if they have none */
  readonly external: { readonly issuer: string; readonly subject: string } | null
  readonly address: string
}

/** What the gateway knows once the rate limit and the token are checked, before the user is looked up. */
export interface Admitted {
  readonly address: string
  /** null for an anonymous caller */
  readonly token: AccessToken | null
  /** the quotas of the token's user that the request counted against; none: those of the address */
  readonly quotas: readonly UserQuota[]
}

export type UserQuota = 'user' | 'invite'

/** The first layer's rule. */
export interface GatewayRule {
  /**
   * The scope that the token needs. `public`: no token is needed, but a token that is sent must be valid. `items`: the
   * scope depends on the action of the items, so it is checked once the body is read.
   */
  readonly scope: Action | 'public' | 'items'
  /** a second scope that personal tokens need */
  readonly personalTokenScope?: Scope
  /**
   * The quota that counts the request.
   * - `caller`: the user's quota, or the address's without a valid token.
   * - `redirect`: like `caller`, but requests without a token bypass koa-ratelimit (docs/decisions/0034).
   * - `sign_in`: the address's sign-in quota.
   * - `invite`: like `caller`, plus a quota for invitations.
   * - `probe`: like `caller`, but requests from this machine without a token are not counted.
   * - `file`: like `caller`, but requests without a token are not counted: a page loads many files at once, and serving
   *   one from memory costs less than counting it.
   */
  readonly quota: 'caller' | 'redirect' | 'sign_in' | 'invite' | 'probe' | 'file'
  /** Only pages of this origin may send the request: the route reads a cookie, which browsers send for any page. */
  readonly from?: string
}

/** The third layer's rule: the action and the record that `can()` decides about. */
export interface ObjectRule<Params, Record extends Owned> {
  readonly action: Action | 'none'
  /**
   * A second action that `can()` must allow on the same record. The token needs no scope for it. A refusal is recorded
   * under this action.
   */
  readonly and?: Action
  /**
   * Loads the record; null means 404. It runs while the caller is being looked up, so a loader that needs the caller
   * awaits it.
   */
  readonly load: (params: Params, caller: Promise<Caller> | Caller) => Promise<Record | null> | Record | null
  /**
   * Throws where the record's state hides it from the caller. It is asked right after `can()`, before the request's
   * input is looked at: otherwise a fault in that would tell a hidden record from a missing one.
   */
  requireVisible?(record: Record, caller: Caller, snapshot: Snapshot): void
}

/** The loader for creations and lists: `can()` decides about a record without an owner. */
export const noRecord = (): Owned => ({})

/** For routes without an action (health, signing in): `can()` is not called. */
export const NO_OBJECT: ObjectRule<unknown, Owned> = { action: 'none', load: noRecord }

/** What the fourth layer works with: the caller, the decision that allowed the request, and the status of a success. */
export interface DataContext {
  readonly caller: Caller
  readonly snapshot: Snapshot
  readonly decision: Decision | null
  readonly requestId: string
  readonly status: number
  readonly deadline: Deadline
  /** null if the request has no Idempotency-Key, or the route takes none */
  readonly idempotencyKey: IdempotencyKey | null
}

/** The fourth layer's rule: opens the store, which is the handler's only access to records. */
export interface DataRule<Store> {
  /** describes the rows that the store reaches, for the documentation */
  readonly rows: string
  readonly open: (context: DataContext) => Store
}

/** For a route that reaches no rows. */
export const NO_DATA: DataRule<undefined> = { rows: 'none', open: () => undefined }

/**
 * An optional part of the answer, guarded by an action of its own. The layers check it like the route: scope, role,
 * then `can()` without a record. Its store is opened only if all of them allow it.
 */
export interface PartRule<Query, Part> {
  readonly asked: (query: Query) => boolean
  readonly action: Action
  /** the action for `can()`, if it is not `action`: for a list it is the right to read at all */
  readonly object?: Action
  readonly data: DataRule<Part>
}

export interface Answer {
  readonly status: number
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  /** the body's media type, if it is not JSON (text, a stream) */
  readonly type?: string
  /** the answer as a page, sent instead of the body if the caller prefers HTML */
  readonly page?: PageIn
  /** true if the request changed nothing, so no transaction has written the decision record */
  readonly unchanged?: boolean
}

export interface HandlerInput<Params, Query, Body, Record, Store, Part = null> {
  readonly params: Params
  readonly query: Query
  readonly body: Body
  readonly caller: Caller
  readonly record: Record
  readonly store: Store
  /** null if the request does not ask for the part */
  readonly part: Part | null
  readonly snapshot: Snapshot
  /** nothing of the request may commit after it */
  readonly deadline: Deadline
  readonly requestId: string
  /** checks that the handler can make itself, beyond the decision that let the request in */
  readonly layers: HandlerLayers
  readonly headers: RequestHeaders
  /** the raw query string, without `?` */
  readonly querystring: string
  /** for the visit statistics */
  readonly visitor: Visitor
}

/** A caller's right to do something. */
export interface Right {
  readonly allowed: boolean
  /** the layer that decided: the first that refuses, or the object layer if none does */
  readonly layer: Layer
  /** the rule that decided in `can()`; null if an earlier layer refused */
  readonly rule: string | null
}

/**
 * Checks that a handler can make itself, beyond the decision that let its request in. Those of items are for bulk
 * requests: each item gets a decision of its own. A refusal is recorded with the answer, an allowed item's decision
 * together with its change.
 */
export interface HandlerLayers {
  /**
   * Whether the layers would allow the caller this action on the record. Nothing is done or recorded. A stream passes
   * the current snapshot as `inForce`, because it outlasts the revision that let the caller in.
   */
  rightTo(action: Action, record: Owned, inForce?: Snapshot): Right
  /** Counts a sign-in attempt on an account; throws `rate_limited`. */
  countAccount(account: string): Promise<void>
  /** Counts a password attempt on a link; throws `rate_limited`. */
  countLinkPassword(link: string): Promise<void>
  /** Call once, before the items. Throws 403 for scope or role, and 429: every fifty items count as one request. */
  beginItems(action: Action, count: number): Promise<void>
  /** Throws 404 or 403. `name`: the record's name, for the decision log. */
  decideItem(action: Action, record: Owned | null, name: string | null): Decision
  /** Whether this attempt's policy revision is still the newest. A refusal by an older one is not final (promise 7). */
  isNewest(): Promise<boolean>
}

/**
 * A route declares its four layers beside its handler. None can be left out: a route says so explicitly if a layer has
 * nothing to check (`'none'`, NO_OBJECT, NO_DATA), and its handler then gets nothing from that layer.
 */
export interface RouteSpec<Params, Query, Body, Record extends Owned, Store, Part = null> {
  readonly method: 'get' | 'post' | 'patch' | 'delete'
  readonly path: string
  readonly gateway: GatewayRule
  readonly endpoint: Action | 'none'
  readonly object: ObjectRule<Params, Record>
  readonly data: DataRule<Store>
  readonly part?: PartRule<Query, Part>
  /** the status of a success */
  readonly status: number
  readonly params: z.ZodType<Params>
  readonly query: z.ZodType<Query>
  readonly body: z.ZodType<Body>
  /** maximum size of the body in bytes; default 64 KiB */
  readonly maxBody?: number
  /** accepted media types of the request body; default JSON */
  readonly accepts?: readonly MediaType[]
  /** the refusal of an unreadable or invalid body, if a standard requires another one than 415, 400 or 422 */
  readonly inputFault?: 'invalid_request'
  /** adapts refusals to what a standard requires */
  readonly shape?: (refusal: Refusal) => Refusal
  /** the page whose form sends this body; shown again with the faults when validation fails (422) */
  readonly form?: FormPage
  /** false if no part of the body is stored, so it may contain text that PostgreSQL cannot store */
  readonly storesInput?: false
  /** true for a creation that takes an Idempotency-Key (docs/decisions/0013) */
  readonly idempotent?: true
  readonly handle: (input: HandlerInput<Params, Query, Body, Record, Store, Part>) => Promise<Answer> | Answer
  readonly documentation: Documentation
}

type MediaType = 'json' | 'form'

/** What a form needs to be shown again, beside its faults and the input. */
interface Refilled {
  /** the link's code from the path; empty if the form is not about a link */
  readonly linkCode: string
  readonly requestId: string
}

/** Renders a form again, with its faults and the submitted input, which is not validated. */
export type FormPage = (faults: readonly Fault[], sent: unknown, about: Refilled) => PageIn

const NOTHING = z.undefined()

/** The defaults for a route's input: it spreads this, then overrides the parts that it takes. */
export const NO_INPUT = { params: NOTHING, query: NOTHING, body: NOTHING } as const

/** Whether a route takes this part of the request. */
export const isTaken = (schema: z.ZodType): boolean => schema !== NOTHING

/** The value of a part that a route does not take. */
export const nothing = <T>(schema: z.ZodType<T>): T => schema.parse(undefined)

/** An entry of the route table, its type parameters erased. Only `route()` in compose.ts makes one. */
export interface Route {
  readonly method: RouteSpec<unknown, unknown, unknown, Owned, unknown>['method']
  readonly path: string
  readonly gateway: GatewayRule
  readonly endpoint: Action | 'none'
  readonly objectAction: Action | 'none'
  readonly andAction: Action | 'none'
  readonly dataRows: string
  readonly partAction: Action | 'none'
  readonly status: number
  readonly params: z.ZodType | undefined
  readonly query: z.ZodType | undefined
  readonly body: z.ZodType | undefined
  readonly accepts: readonly MediaType[]
  readonly inputFault: RouteSpec<unknown, unknown, unknown, Owned, unknown>['inputFault']
  readonly idempotent: boolean
  readonly form: FormPage | undefined
  readonly documentation: Documentation
  /** Takes one request through the four layers to its answer, or throws a Refusal. */
  readonly serve: (runtime: Runtime, ctx: Context) => Promise<Answer>
}

/** True for a route that the policy decides about. For other routes, a caller cannot demand a revision. */
export const asksPolicy = ({
  gateway,
  endpoint,
  objectAction,
}: Pick<Route, 'gateway' | 'endpoint' | 'objectAction'>): boolean =>
  endpoint !== 'none' || objectAction !== 'none' || gateway.scope === 'items'

/** The first layer, in two steps: `admit` counts and verifies without a look-up, `identify` looks the user up. */
export interface Gateway {
  /** 429, 401, 403: rate limit, token, then the page's origin. Looks nothing up before the request is counted. */
  readonly admit: (ctx: Context, rule: GatewayRule) => Promise<Admitted>
  /**
   * 401, 403: looks up the token's user, then checks the scope. Calls `onKnown` with the caller before any of these
   * checks refuses, so that the refusal of a verified token is recorded under its user. If the user is gone, the
   * request counts against the address instead (429).
   */
  readonly identify: (
    ctx: Context,
    admitted: Admitted,
    rule: GatewayRule,
    onKnown?: (caller: Caller) => void,
  ) => Promise<Caller> | Caller
  /** 403: a scope that the request needs beside its route's own */
  readonly requireScope: (caller: Caller, action: Action) => void
  /** 429: counts `times` more requests, for a bulk request */
  readonly countMore: (ctx: Context, admitted: Admitted, times: number) => Promise<void>
  /** 429: sign-in attempts on one account, from any address */
  readonly countAccount: (ctx: Context, account: string) => Promise<void>
  /** 429: password attempts on one link, per address and in total */
  readonly countLinkPassword: (ctx: Context, link: string) => Promise<void>
}

/** The four layers, in the order in which a request passes them. Tests replace some of them to test one alone. */
export interface Layers {
  readonly gateway: Gateway
  /** 403: the role */
  readonly endpoint: (snapshot: Snapshot, caller: Caller, action: Action) => void
  /** 404, 403: the record, then can() */
  readonly object: <Record extends Owned>(
    snapshot: Snapshot,
    caller: Caller,
    action: Action,
    record: Record | null,
  ) => { readonly record: Record; readonly decision: Decision }
  /** opens the route's store, in which rows beyond the caller's reach do not exist */
  readonly data: <Store>(rule: DataRule<Store>, context: DataContext) => Store
}

/** What a request needs to be served: the layers, the policy and the recorder. */
export interface Runtime {
  readonly layers: Layers
  readonly policy: PolicyInForce
  /** records a decision that no transaction of the request writes */
  readonly record: (record: DecisionRecord) => void
  /** whether allowed public reads are recorded as well */
  readonly recordsPublicReads: boolean
  /** counts a decision of any request, recorded or not */
  readonly count: (decision: Pick<DecisionRecord, 'effect' | 'rule' | 'layer'>) => void
}

export interface PolicyInForce {
  readonly current: () => Snapshot
  /** Loads the newest policy from the database and returns the snapshot then in force. */
  readonly refresh: () => Promise<Snapshot>
}
