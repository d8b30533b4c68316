import type { Action, Scope } from '../domain/action.js'
import type { Deadline } from '../domain/deadline.js'
import type { Decision } from '../domain/decision.js'
import type { Owned } from '../domain/link.js'
import type { IdempotencyKey } from '../input/idempotency-key.js'
import type { Snapshot } from '../policy/snapshot.js'
import type { Caller } from './caller.js'

// What a route declares about each of its layers.

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
