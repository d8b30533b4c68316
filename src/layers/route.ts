import type { Context } from 'koa'
import type { z } from 'zod'

import type { Action } from '../domain/action.js'
import type { DecisionRecord } from '../domain/decision-record.js'
import type { Decision } from '../domain/decision.js'
import type { Owned } from '../domain/link.js'
import type { User } from '../domain/user.js'
import type { Snapshot } from '../policy/snapshot.js'

/** Who made the request, after the gateway: a user with the scopes of their token, or nobody. */
export interface Caller {
  readonly user: User | null
  /** scopes of the token; empty for an anonymous caller */
  readonly scopes: ReadonlySet<string>
  /** the token's id (`jti`), for the decision record; never the token */
  readonly tokenId: string | null
  /** the sign-in that the token comes from; null where it comes from none */
  readonly signIn: string | null
  /** how an external issuer knows the user; null and absent where none does */
  readonly external?: { readonly issuer: string; readonly subject: string } | null
  readonly address: string
  /** true where the user is as somebody found them before: a transaction has to confirm it */
  readonly remembered?: boolean
  /** The caller with the user as they are now. Throws `invalid_token` where they may do nothing any more. */
  readonly renew?: () => Promise<Caller>
}

/**
 * The first layer's rule: the scope that the token needs (`public`: no token needed, one that is sent must be valid),
 * and whose requests are counted.
 */
export interface GatewayRule {
  readonly scope: Action | 'public'
  /** `invite`: the caller's, and one of its own beside it */
  readonly quota: 'caller' | 'sign_in' | 'invite' | 'none'
}

/**
 * The third layer's rule: what `can()` is asked, about which record. A loader answers null where there is none (404).
 */
export interface ObjectRule<Params, Record extends Owned | null> {
  readonly action: Action
  readonly load: (params: Params, caller: Caller) => Promise<Record | null> | Record | null
  /** true where the operation has no record (a creation, a list): `can()` is asked about none, and null is not a 404 */
  readonly without?: boolean
  /** the record as it is if it is the caller's own and there at all; only of a route that `presumes` */
  readonly presume?: (params: Params, caller: User) => Record
}

/**
 * What the fourth layer is told: who acts, decided by what, and with which status a success is answered and recorded.
 */
export interface DataContext {
  readonly caller: Caller
  readonly snapshot: Snapshot
  readonly decision: Decision | null
  readonly requestId: string
  readonly status: number
  /** null where the request may not be repeated, or brought no Idempotency-Key */
  readonly repeat: Repeat | null
}

/** A creation under an Idempotency-Key: what the data layer keeps of it, and whether it was made before. */
export interface Repeat {
  readonly keyHash: Buffer
  readonly fingerprint: Buffer
  readonly salt: Buffer
  readonly secretHash: Buffer
  /** true where it was made before: it is answered as it was then, and nothing is made */
  readonly known: boolean
  /**
   * 32 bytes that are the same each time, and that only this installation can work out. Throws `already_created` (409)
   * where it no longer can.
   */
  readonly secret: () => Buffer
}

/** The fourth layer's rule: opens the store through which, and only through which, the handler reaches records. */
export interface DataRule<Store> {
  /** which rows those are, for readers of the documentation */
  readonly rows?: string
  readonly open: (context: DataContext) => Store
}

/**
 * A part of the answer that a request may ask for, and that another action guards. The layers decide about it as they
 * do about the route: the scope, the endpoint, `can()` without a record. Its store is opened for nobody else.
 */
export interface PartRule<Query, Part> {
  readonly asked: (query: Query) => boolean
  readonly action: Action
  readonly data: DataRule<Part>
}

export interface Answer {
  readonly status: number
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  /** media type of a body that is not JSON (a text, a stream) */
  readonly type?: string
  /**
   * true where an operation that changes records had nothing to change, so that no transaction holds its decision
   * record
   */
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
  /** null without an Idempotency-Key */
  readonly repeat: Repeat | null
  /** counts a sign-in attempt on an account; throws `rate_limited` */
  readonly countAccount: (account: string) => Promise<void>
  readonly headers: {
    readonly ifMatch: string | undefined
    /** whether a proxy says that it passes the request on for somebody */ readonly forwarded: boolean
  }
}

export interface Documentation {
  readonly summary: string
  readonly tag: string
  /** the body of a success, where there is one */
  readonly response?: z.ZodType
  /** media types of a success, where it is not JSON alone */
  readonly types?: readonly string[]
  /** true where a success has an ETag, and If-None-Match is answered 304 */
  readonly tagged?: true
  /** the body of a 503 that says more than a problem does */
  readonly unready?: z.ZodType
  /** statuses of refusals beside those that the layers give */
  readonly refusals?: readonly number[]
}

/**
 * A route declares its four layers beside its handler. None of them can be left out: a layer that has nothing to check
 * says `'none'`, and the handler then gets nothing from it.
 */
export interface RouteSpec<Params, Query, Body, Record extends Owned | null, Store, Part = null> {
  readonly method: 'get' | 'post' | 'patch' | 'delete'
  readonly path: string
  readonly gateway: GatewayRule
  readonly endpoint: Action | 'none'
  readonly object: ObjectRule<Params, Record> | 'none'
  readonly data: DataRule<Store> | 'none'
  readonly part?: PartRule<Query, Part>
  /** the status of a success */
  readonly status: number
  readonly params?: z.ZodType<Params>
  readonly query?: z.ZodType<Query>
  readonly body?: z.ZodType<Body>
  /** media types of the request's body; JSON where nothing is said */
  readonly accepts?: readonly ('json' | 'form')[]
  /**
   * the refusal of a body that cannot be read or is not valid, where a standard asks for another than 415, 400 and 422
   */
  readonly inputFault?: 'invalid_request'
  /** false where nothing of a body is stored, so that it may hold text that PostgreSQL cannot */
  readonly storesInput?: false
  /**
   * true where the statement of the data layer proves what it rests on, and changes nothing otherwise: that the caller
   * stands, and that the record is theirs. It is then tried first with what is remembered and presumed, in one round
   * trip; whatever comes of that but a committed change is asked and decided anew (docs/decisions/0017).
   */
  readonly presumes?: true
  /**
   * a creation that gets the same answer again under the same Idempotency-Key (docs/decisions/0013); its store says so
   * with `repeat`
   */
  readonly repeatable?: true
  readonly handle: (input: HandlerInput<Params, Query, Body, Record, Store, Part>) => Promise<Answer> | Answer
  readonly documentation: Documentation
}

/** A route whose types are settled: what the route table holds. `route()` in compose.ts is the only way to make one. */
export interface Route {
  readonly method: RouteSpec<unknown, unknown, unknown, null, unknown>['method']
  readonly path: string
  readonly gateway: GatewayRule
  readonly endpoint: Action | 'none'
  readonly objectAction: Action | 'none'
  readonly dataRows: string
  readonly partAction: Action | 'none'
  readonly status: number
  readonly params: z.ZodType | undefined
  readonly query: z.ZodType | undefined
  readonly body: z.ZodType | undefined
  readonly accepts: readonly ('json' | 'form')[]
  readonly repeatable: boolean
  readonly documentation: Documentation
  /** Takes one request through the four layers to its answer, or throws a Refusal. */
  readonly serve: (layers: Layers, ctx: Context) => Promise<Answer>
}

/**
 * The four layers as functions, in the order in which a request meets them. Tests replace some of them to watch one
 * alone.
 */
export interface Layers {
  /** 429, 401, 403: the rate limit, the token, the scope */
  readonly gateway: (
    ctx: Context,
    rule: GatewayRule,
    options?: { /** the user may be as remembered */ readonly presuming?: boolean },
  ) => Promise<Caller>
  /** 429: sign-in attempts on one account, whatever address they come from */
  readonly countAccount: (ctx: Context, account: string) => Promise<void>
  /** 403: the scope of what a request asks for beside its route's own */
  readonly scope: (caller: Caller, action: Action) => void
  /** 403: the role */
  readonly endpoint: (snapshot: Snapshot, caller: Caller, action: Action) => void
  /** 404, 403: the record, then can() */
  readonly object: <Params, Record extends Owned | null>(
    snapshot: Snapshot,
    caller: Caller,
    rule: ObjectRule<Params, Record>,
    params: Params,
  ) => Promise<{ readonly record: Record; readonly decision: Decision }>
  /** rows that the caller may not touch are not there */
  readonly data: <Store>(rule: DataRule<Store>, context: DataContext) => Store
  /** 422: what a caller made under an Idempotency-Key before, where that was the same request */
  readonly repeat: (
    caller: Caller,
    request: { readonly idempotencyKey: string; readonly fingerprint: Buffer },
  ) => Promise<Repeat>
  /** the policy in force; at least of `revision` where the caller demands it */
  readonly policy: PolicyInForce
  /** keeps what was decided where no transaction of the request's own does */
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
