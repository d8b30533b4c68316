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
import type { HandlerLayers } from './handler-layers.js'
import type { RequestHeaders } from './request-headers.js'

/** Who made the request, after the gateway: a user with the scopes of their token, or nobody. */
export interface Caller {
  readonly user: User | null
  /** scopes of the token; empty for an anonymous caller */
  readonly scopes: ReadonlySet<string>
  /** the token's id (`jti`), for the decision record; never the token */
  readonly tokenId: string | null
  /** the sign-in that the token comes from; null where it comes from none */
  readonly signIn: string | null
  /** the row of a personal token; null for every other token */
  readonly personalToken: string | null
  /** how an external issuer knows the user; null where none does */
  readonly external: { readonly issuer: string; readonly subject: string } | null
  readonly address: string
}

/** What the gateway knows once the limit and the token allow the request, and before anything is looked up. */
export interface Admitted {
  readonly address: string
  /** null: an anonymous caller */
  readonly token: AccessToken | null
}

/** The first layer's rule. */
export interface GatewayRule {
  /**
   * The scope that the token needs; `public`: no token is needed, but one that is sent must be valid; `items`: that of
   * the action of the request's items, once the body is read
   */
  readonly scope: Action | 'public' | 'items'
  /** the scope that a personal token needs beside it */
  readonly personalTokenScope?: Scope
  /**
   * Whose requests are counted, and in which quota; every route has one. `invite` counts in the caller's and in one of
   * its own. `probe` is `caller`, but where this machine itself asks without a token, nothing is counted. `file` is
   * `caller`, but without a token nothing is counted: a page needs many files at once, and answering one from memory
   * costs less than counting it. `redirect` is `caller`, but without a token it is counted without koa-ratelimit
   * (docs/decisions/0034).
   */
  readonly quota: 'caller' | 'redirect' | 'sign_in' | 'invite' | 'probe' | 'file'
  /** The origin whose pages alone may send it: the route reads a cookie, which a browser sends for every page. */
  readonly from?: string
}

/** The third layer's rule: what `can()` is asked, about which record. */
export interface ObjectRule<Params, Record extends Owned> {
  readonly action: Action | 'none'
  /**
   * Asked about the same record after `action`, where more than that right is needed. The token needs no scope for it.
   * Its refusal is recorded under this action.
   */
  readonly and?: Action
  /**
   * Finds the record; null where there is none (404). It runs while the caller is looked up, so a loader that needs the
   * caller awaits them.
   */
  readonly load: (params: Params, caller: Promise<Caller> | Caller) => Promise<Record | null> | Record | null
}

/** The loader of a creation or a list: `can()` is asked about a record that nobody owns. */
export const noRecord = (): Owned => ({})

/** For a route that is about no action (health, signing in): `can()` is not asked. */
export const NO_OBJECT: ObjectRule<unknown, Owned> = { action: 'none', load: noRecord }

/**
 * What the fourth layer is told: who acts, decided by what, and with which status a success is answered and recorded.
 */
export interface DataContext {
  readonly caller: Caller
  readonly snapshot: Snapshot
  readonly decision: Decision | null
  readonly requestId: string
  readonly status: number
  readonly deadline: Deadline
  /** null where the request brought no Idempotency-Key, or the route takes none */
  readonly idempotencyKey: IdempotencyKey | null
}

/** The fourth layer's rule: opens the store through which, and only through which, the handler reaches records. */
export interface DataRule<Store> {
  /** which rows those are, for readers of the documentation */
  readonly rows: string
  readonly open: (context: DataContext) => Store
}

/** For a route that reaches no rows. */
export const NO_DATA: DataRule<undefined> = { rows: 'none', open: () => undefined }

/**
 * A part of the answer that a request may ask for and that another action guards. The layers decide about it as about
 * the route: scope, endpoint, `can()` without a record. Its store is opened for nobody else.
 */
export interface PartRule<Query, Part> {
  readonly asked: (query: Query) => boolean
  readonly action: Action
  /** what `can()` is asked, where that is not `action`: a list asks whether its caller may read at all */
  readonly object?: Action
  readonly data: DataRule<Part>
}

export interface Answer {
  readonly status: number
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  /** media type of a body that is not JSON (a text, a stream) */
  readonly type?: string
  /** the same for a person: sent instead of the body where the caller prefers HTML */
  readonly page?: PageIn
  /** true where nothing was changed, so that no transaction holds the decision record */
  readonly unchanged?: boolean
}

export interface HandlerInput<Params, Query, Body, Record, Store, Part = null> {
  readonly params: Params
  readonly query: Query
  readonly body: Body
  readonly caller: Caller
  readonly record: Record
  readonly store: Store
  /** null where the request does not ask for the part */
  readonly part: Part | null
  readonly snapshot: Snapshot
  /** after it nothing of the request may commit */
  readonly deadline: Deadline
  readonly requestId: string
  /** what the handler may ask of the layers beyond the decision that let the request in */
  readonly layers: HandlerLayers
  readonly headers: RequestHeaders
  /** the query string as it was sent, without `?` */
  readonly querystring: string
  /** for the statistics of a link that is followed */
  readonly visitor: Visitor
}

/** A caller's right to do something. */
export interface Right {
  readonly allowed: boolean
  /** which layer answers: the last, or the first that refuses */
  readonly layer: Layer
  /** the rule by which `can()` answers; null where it is not asked */
  readonly rule: string | null
}

/**
 * The way of each item of a bulk request through the layers. Each is decided by itself, and its refusal recorded by
 * itself; the decision of an item that is done is recorded with the change.
 */
export interface ItemLayers {
  /** Once: 403 for the scope and the role; 429, since fifty items count as a request. */
  beginItems(action: Action, count: number): Promise<void>
  /** 404, 403. `name`: the record's, for the log. */
  decideItem(action: Action, record: Owned | null, name: string | null): Decision
  /** Whether the database still holds the revision that decides: refusals of an older one do not count (promise 7). */
  isNewest(): Promise<boolean>
}

/**
 * A route declares its four layers beside its handler. None can be left out: a layer that has nothing to check says so
 * (`'none'`, NO_OBJECT, NO_DATA), and the handler then gets nothing from it.
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
  /** bytes of the body at most; default 64 KiB */
  readonly maxBody?: number
  /** media types of the request's body; default JSON */
  readonly accepts?: readonly MediaType[]
  /** the refusal of a body that cannot be read or is not valid, where a standard asks for another than 415, 400, 422 */
  readonly inputFault?: 'invalid_request'
  /** adds to a refusal what a standard asks of it */
  readonly shape?: (refusal: Refusal) => Refusal
  /** the page whose form sends this body: whoever filled it in and is refused (422) gets it again */
  readonly form?: FormPage
  /** false where nothing of a body is stored, so that it may hold text that PostgreSQL cannot */
  readonly storesInput?: false
  /** true for a creation that takes an Idempotency-Key (docs/decisions/0013) */
  readonly idempotent?: true
  readonly handle: (input: HandlerInput<Params, Query, Body, Record, Store, Part>) => Promise<Answer> | Answer
  readonly documentation: Documentation
}

export type MediaType = 'json' | 'form'

/** What a form that is shown again is about, beside its faults. */
export interface Refilled {
  /** the code in its path; empty where it is about no link */
  readonly linkCode: string
  readonly requestId: string
}

/** A form with what is wrong in it, and what had been sent, which may be anything. */
export type FormPage = (faults: readonly Fault[], sent: unknown, about: Refilled) => PageIn

const NOTHING = z.undefined()

/** A route spreads this and then names the parts of the request that it takes. */
export const NO_INPUT = { params: NOTHING, query: NOTHING, body: NOTHING } as const

/** Whether a route takes this part of the request. */
export const isTaken = (schema: z.ZodType): boolean => schema !== NOTHING

/** What a route gets of a part that it does not take. */
export const nothing = <T>(schema: z.ZodType<T>): T => schema.parse(undefined)

/** A route whose types are settled: what the route table holds. `route()` in compose.ts is the only way to make one. */
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
  readonly idempotent: boolean
  readonly form: FormPage | undefined
  readonly documentation: Documentation
  /** Takes one request through the four layers to its answer, or throws a Refusal. */
  readonly serve: (runtime: Runtime, ctx: Context) => Promise<Answer>
}

/** The first layer, in two steps with a look-up between them. */
export interface Gateway {
  /** 429, 401, 403: the limit, the token, then the page; looks nothing up before the request was counted */
  readonly admit: (ctx: Context, rule: GatewayRule) => Promise<Admitted>
  /**
   * 401, 403: the user whom the token names, as they are now; then the scope. `onKnown` is told who calls before either
   * refuses them, so that the refusal of a verified token is recorded as theirs.
   */
  readonly identify: (
    admitted: Admitted,
    rule: GatewayRule,
    onKnown?: (caller: Caller) => void,
  ) => Promise<Caller> | Caller
  /** 403: the scope of what a request asks for beside its route's own */
  readonly requireScope: (caller: Caller, action: Action) => void
  /** 429: counts a request that stands for several as so many more */
  readonly countMore: (ctx: Context, admitted: Admitted, times: number) => Promise<void>
  /** 429: sign-in attempts on one account, whatever address they come from */
  readonly countAccount: (ctx: Context, account: string) => Promise<void>
  /** 429: passwords that are tried on one link, from one address and from all */
  readonly countLinkPassword: (ctx: Context, link: string) => Promise<void>
}

/** The four layers, in the order in which a request meets them. Tests replace some of them to watch one alone. */
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
  /** rows that the caller may not touch are not there */
  readonly data: <Store>(rule: DataRule<Store>, context: DataContext) => Store
}

/** What serves a request: the layers, and what is no layer. */
export interface Runtime {
  readonly layers: Layers
  readonly policy: PolicyInForce
  /** keeps a decision that no transaction of the request carries */
  readonly record: (record: DecisionRecord) => void
  /** whether allowed public reads are recorded, too */
  readonly recordsPublicReads: boolean
  /** counts a decision of any request, recorded or not */
  readonly count: (decision: Pick<DecisionRecord, 'effect' | 'rule' | 'layer'>) => void
}

export interface PolicyInForce {
  readonly current: () => Snapshot
  /** Loads what the database holds now, and answers the snapshot in force after it. */
  readonly refresh: () => Promise<Snapshot>
}
