import type { Context } from 'koa'

import { demandOf, headerOf, isForwarded } from '../input/header-lines.js'

/** The request headers that a handler may read, parsed on access. */
export class RequestHeaders {
  readonly #ctx: Context
  readonly #readsCookies: boolean

  /** `readsCookies`: whether the route accepts requests of its own pages alone */
  constructor(ctx: Context, readsCookies: boolean) {
    this.#ctx = ctx
    this.#readsCookies = readsCookies
  }

  get ifMatch(): string | undefined {
    return demandOf(this.#ctx, 'if-match')
  }

  /** Whether the client can tell a truncated body from a complete one; HTTP/1.0 cannot (RFC 9112 §8). */
  get chunked(): boolean {
    return this.#ctx.req.httpVersion !== '1.0'
  }

  /** Whether the headers say that a proxy forwarded the request. */
  get forwarded(): boolean {
    return isForwarded(this.#ctx)
  }

  /** Whether nobody will see the answer yet: HEAD, or a browser's prefetch (`Sec-Purpose: prefetch`). */
  get ahead(): boolean {
    return this.#ctx.method === 'HEAD' || /\bprefetch\b/i.test(headerOf(this.#ctx, 'sec-purpose') ?? '')
  }

  /**
   * A cookie by its name. Always undefined on a route that accepts requests from pages of any origin: it must not rely
   * on cookies.
   */
  cookie(name: string): string | undefined {
    return this.#readsCookies ? this.#ctx.cookies.get(name) : undefined
  }
}
