import type { Context } from 'koa'

import type { Visitor } from '../domain/visitor.js'
import { demandOf, headerOf, isForwarded } from '../input/header-lines.js'
import type { GatewayRule } from './route.js'

/** What a handler may know of its request's headers; read when it asks. */
export class RequestHeaders {
  readonly #ctx: Context
  readonly #readsCookies: boolean

  constructor(ctx: Context, { from }: GatewayRule) {
    this.#ctx = ctx
    this.#readsCookies = from !== undefined
  }

  get ifMatch(): string | undefined {
    return demandOf(this.#ctx, 'if-match')
  }

  /** Whether the client can tell a body that breaks off from a whole one; HTTP/1.0 cannot (RFC 9112 §8). */
  get chunked(): boolean {
    return this.#ctx.req.httpVersion !== '1.0'
  }

  /** Whether a proxy says that it passes the request on. */
  get forwarded(): boolean {
    return isForwarded(this.#ctx)
  }

  /** Whether nobody sees the answer: HEAD, or a browser that prefetches (`Sec-Purpose: prefetch`). */
  get ahead(): boolean {
    return this.#ctx.method === 'HEAD' || /\bprefetch\b/i.test(headerOf(this.#ctx, 'sec-purpose') ?? '')
  }

  /**
   * A cookie by its name; undefined if none was sent. A route that takes requests from pages of any origin reads no
   * cookie.
   */
  cookie(name: string): string | undefined {
    return this.#readsCookies ? this.#ctx.cookies.get(name) : undefined
  }
}

/** The visitor of a link, by their request. */
export class RequestVisitor implements Visitor {
  readonly address: string
  readonly #ctx: Context

  constructor(ctx: Context, address: string) {
    this.#ctx = ctx
    this.address = address
  }

  header(name: string): string | undefined {
    return headerOf(this.#ctx, name)
  }
}
