import type { Context } from 'koa'

import type { Action } from '../domain/action.js'
import type { DecisionRecord } from '../domain/decision-record.js'
import type { Decision } from '../domain/decision.js'
import type { Owned } from '../domain/link.js'
import type { Snapshot } from '../policy/snapshot.js'
import type { Admitted, Caller } from './caller.js'
import type { DataContext, DataRule, GatewayRule } from './rules.js'

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
  /** 429: counts `times` more requests where the request itself counted, for a bulk request */
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
