import type { Context } from 'koa'

import type { Decision } from '../domain/decision.js'
import type { Snapshot } from '../policy/snapshot.js'
import { recordOfRefusal, type Decided } from './decision-record.js'
import type { Caller } from './caller.js'
import type { Runtime } from './layers.js'

/** An item of a bulk request: its decision, or why a layer refused it. */
type DecidedItem = Decided & { readonly refusal: unknown }

/** A request on its way through the layers, with their results so far. Its decision record is made from them. */
export class LayeredRequest implements Decided {
  action: string
  /** null until the gateway has identified the caller: a refusal before that is recorded without a subject */
  caller: Caller | null = null
  decision: Decision | null = null
  linkId: string | null = null
  /** the code of the link that was found; undefined: the name in the path counts */
  name: string | undefined
  /** the decision about the optional part of the answer (`PartRule`) */
  part: Decision | null = null
  /** what was decided about the items of a bulk request */
  items: DecidedItem[] = []
  readonly runtime: Runtime
  readonly ctx: Context
  readonly #routeAction: string
  #counted: Set<string> | undefined

  constructor(runtime: Runtime, ctx: Context, routeAction: string) {
    this.runtime = runtime
    this.ctx = ctx
    this.action = this.#routeAction = routeAction
  }

  /** Starts an attempt under this revision, and resets what an earlier attempt found. */
  startAttempt({ revision }: Snapshot): void {
    this.ctx.state.deadline.require()
    this.action = this.#routeAction
    this.caller = this.decision = this.linkId = this.part = null
    this.name = undefined
    this.items = []
    this.ctx.state.revision = revision
  }

  identify(caller: Caller): void {
    this.caller = caller
    this.ctx.state.userId = caller.user?.id
  }

  /** Counts the request against a further limit, only once even if the request is decided twice. */
  async countOnce(limit: string, count: () => Promise<void>): Promise<void> {
    this.#counted ??= new Set()
    if (this.#counted.has(limit)) return
    this.#counted.add(limit)
    await count()
  }

  /** Runs a check for another action, so that a refusal is recorded under that action. */
  under<T>(action: string, ask: () => T): T {
    const before = this.action
    this.action = action
    const answer = ask()
    this.action = before
    return answer
  }

  /** Counts and records a refusal by a layer. `of`: the refused item of a bulk request. */
  recordRefusal(error: unknown, of: Decided = this): void {
    const record = recordOfRefusal(of, error)
    if (record === null) return
    this.runtime.count(record)
    this.runtime.record(record)
  }
}
