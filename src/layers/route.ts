import type { Context } from 'koa'
import { z } from 'zod'

import type { Action } from '../domain/action.js'
import type { Deadline } from '../domain/deadline.js'
import type { Owned } from '../domain/link.js'
import type { Fault, Refusal } from '../domain/refusal.js'
import type { Visitor } from '../domain/visitor.js'
import type { MediaType } from '../input/input.js'
import type { PageIn } from '../pages/pages.js'
import type { Snapshot } from '../policy/snapshot.js'
import type { Caller } from './caller.js'
import type { Documentation } from './documentation.js'
import type { HandlerLayers } from './handler-layers.js'
import type { Runtime } from './layers.js'
import type { RequestHeaders } from './request-headers.js'
import type { DataRule, GatewayRule, ObjectRule, PartRule } from './rules.js'

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

type AnySpec = RouteSpec<unknown, unknown, unknown, Owned, unknown>

/** An entry of the route table, its type parameters erased. Only `route()` in compose.ts makes one. */
export interface Route extends Pick<AnySpec, 'method' | 'path' | 'gateway' | 'endpoint' | 'status' | 'documentation'> {
  readonly objectAction: Action | 'none'
  readonly andAction: Action | 'none'
  readonly dataRows: string
  /** true if it changes records */
  readonly isChange: boolean
  readonly partAction: Action | 'none'
  readonly params: z.ZodType | undefined
  readonly query: z.ZodType | undefined
  readonly body: z.ZodType | undefined
  readonly accepts: readonly MediaType[]
  readonly inputFault: AnySpec['inputFault']
  readonly idempotent: boolean
  readonly form: FormPage | undefined
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
