import type { IncomingMessage } from 'node:http'

import type { Context, Next } from 'koa'

import { Refusal } from '../domain/refusal.js'
import { headerLines } from '../input/header-lines.js'

/** A host, with or without a port. */
const HOST = /^(?:[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(?::\d{1,5})?$/

/** Whether a request has exactly one Host header, and a valid one. */
const namesOneHost = ({ rawHeaders }: IncomingMessage): boolean => {
  const [host, ...others] = headerLines(rawHeaders, 'host')
  return host !== undefined && others.length === 0 && HOST.test(host)
}

/**
 * Refuses (400) a request without exactly one valid Host header (RFC 9112 §3.2): a proxy and this server could read it
 * differently.
 */
export const requireOneHost = (ctx: Context, next: Next): Promise<void> => {
  if (!namesOneHost(ctx.req))
    throw new Refusal('invalid_request', { detail: 'Exactly one valid Host header is required.' })
  return next()
}

/** Koa throws at a target that it cannot parse, such as `http://%@x/`, and finds no path in `http://`. */
const hasPath = (ctx: Context): boolean => {
  try {
    return typeof ctx.path === 'string'
  } catch {
    return false
  }
}

/** Refuses (400) a request whose target has no path, before anything reads it. */
export const requirePath = (ctx: Context, next: Next): Promise<void> => {
  if (!hasPath(ctx)) throw new Refusal('invalid_request', { detail: 'The request target cannot be read.' })
  return next()
}

/** Treats `/{code}%2B` as `/{code}+`: some programs encode the plus when they pass a URL on. */
export const plainPlus = (ctx: Context, next: Next): Promise<void> => {
  if (/%2B$/i.test(ctx.path)) ctx.path = ctx.path.replace(/%2B$/i, '+')
  return next()
}
