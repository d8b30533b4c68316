import type { Action } from '../domain/action.js'
import type { Decision } from '../domain/decision.js'
import type { Owned } from '../domain/link.js'
import { Refusal, type Layer } from '../domain/refusal.js'
import type { Snapshot } from '../policy/snapshot.js'
import { newestSnapshot } from './decide-under-one-policy.js'
import { linkIdOf } from './decision-record.js'
import type { LayeredRequest } from './layered-request.js'
import type { Admitted, Caller } from './caller.js'

/** A caller's right to do something. */
export interface Right {
  readonly allowed: boolean
  /** the layer that decided: the first that refuses, or the object layer if none does */
  readonly layer: Layer
  /** the rule that decided in `can()`; null if an earlier layer refused */
  readonly rule: string | null
}

/** How many items of a bulk request count as one request. */
const ITEMS_OF_A_REQUEST = 50

/**
 * Checks that the handler of one request can make itself, under the revision of its attempt, beyond the decision that
 * let the request in. Those of items are for bulk requests: each item gets a decision of its own. A refusal is recorded
 * with the answer, an allowed item's decision together with its change.
 */
export class HandlerLayers {
  readonly #request: LayeredRequest
  readonly #snapshot: Snapshot
  readonly #caller: Caller
  readonly #admitted: Admitted

  constructor(request: LayeredRequest, snapshot: Snapshot, caller: Caller, admitted: Admitted) {
    this.#request = request
    this.#snapshot = snapshot
    this.#caller = caller
    this.#admitted = admitted
  }

  /**
   * Whether the layers would allow the caller this action on the record. Nothing is done or recorded. A stream passes
   * the current snapshot as `inForce`, because it outlasts the revision that let the caller in.
   */
  rightTo(action: Action, record: Owned, inForce = this.#snapshot): Right {
    try {
      this.#requireScopeAndRole(action, inForce)
      const { decision } = this.#layers.object(inForce, this.#caller, action, record)
      return { allowed: true, layer: 'object', rule: decision.rule }
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      return { allowed: false, layer: error.layer, rule: error.decision?.rule ?? null }
    }
  }

  /** Counts a sign-in attempt on an account; throws `rate_limited`. */
  countAccount(account: string): Promise<void> {
    const { ctx } = this.#request
    return this.#request.countOnce('account', () => this.#layers.gateway.countAccount(ctx, account))
  }

  /** Counts a password attempt on a link; throws `rate_limited`. */
  countLinkPassword(link: string): Promise<void> {
    const { ctx } = this.#request
    return this.#request.countOnce('password', () => this.#layers.gateway.countLinkPassword(ctx, link))
  }

  /** Call once, before the items. Throws 403 for scope or role, and 429: every fifty items count as one request. */
  async beginItems(action: Action, count: number): Promise<void> {
    const { ctx } = this.#request
    this.#request.action = action
    const more = Math.ceil(count / ITEMS_OF_A_REQUEST) - 1
    await this.#request.countOnce('items', () => this.#layers.gateway.countMore(ctx, this.#admitted, more))
    this.#requireScopeAndRole(action, this.#snapshot)
  }

  /** Throws 404 or 403. `name`: the record's name, for the decision log. */
  decideItem(action: Action, record: Owned | null, name: string | null): Decision {
    const { ctx, items } = this.#request
    const caller = this.#caller
    const linkId = record === null ? null : linkIdOf(action, record)
    const item = { ctx, action, caller, linkId, name }
    try {
      const { decision } = this.#layers.object(this.#snapshot, caller, action, record)
      items.push({ ...item, decision, refusal: null })
      return decision
    } catch (refusal) {
      items.push({ ...item, decision: null, refusal })
      throw refusal
    }
  }

  /** Whether this attempt's policy revision is still the newest. A refusal by an older one is not final (promise 7). */
  async isNewest(): Promise<boolean> {
    return (await newestSnapshot(this.#request.runtime.policy)).revision === this.#snapshot.revision
  }

  get #layers() {
    return this.#request.runtime.layers
  }

  #requireScopeAndRole(action: Action, snapshot: Snapshot): void {
    this.#layers.gateway.requireScope(this.#caller, action)
    this.#layers.endpoint(snapshot, this.#caller, action)
  }
}
