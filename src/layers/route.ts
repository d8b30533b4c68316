import type { Context } from 'koa'
import { z } from 'zod'

import type { Action, Scope } from '../domain/action.js'
import type { Deadline } from '../domain/deadline.js'
import type { Decision } from '../domain/decision.js'
import type { Owned } from '../domain/link.js'
import type { Fault, Refusal } from '../domain/refusal.js'
import type { Visitor } from '../domain/visitor.js'
import type { IdempotencyKey } from '../input/idempotency-key.js'
import type { PageIn } from '../pages/pages.js'
import type { Snapshot } from '../policy/snapshot.js'
import type { Caller } from './caller.js'
import type { Documentation } from './documentation.js'
import type { HandlerLayers } from './handler-layers.js'
import type { Runtime } from './layers.js'
import type { RequestHeaders } from './request-headers.js'

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
