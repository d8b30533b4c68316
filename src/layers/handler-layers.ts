import type { Action } from '../domain/action.js'
import type { Decision } from '../domain/decision.js'
import type { Owned } from '../domain/link.js'
import type { Layer } from '../domain/refusal.js'
import type { Snapshot } from '../policy/snapshot.js'

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
