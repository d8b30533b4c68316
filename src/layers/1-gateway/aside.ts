import type { Context } from 'koa'

/** A request as a given middleware sees it, and what that middleware wrote. */
export interface Aside {
  readonly view: Context
  readonly written: ReadonlyMap<string, unknown>
}

/**
 * What a view inherits: koa's own prototype, without the members that write to the answer. Made once, and not with the
 * request as the prototype: an object that becomes one is slow to read for the rest of its life.
 */
const prototypes = new WeakMap<object, object>()
const prototypeOf = (koa: object): object => {
  const known = prototypes.get(koa)
  if (known !== undefined) return known
  const field = { value: undefined, writable: true }
  const made: object = Object.create(koa, { state: field, set: field, status: field, body: field })
  prototypes.set(koa, made)
  return made
}

/**
 * Shows the request to a given middleware without letting it write to the answer: its state starts as `state` and is
 * its own, its headers, status and body are kept aside. So no middleware finds settings that another one left on
 * `ctx.state`, and the one error exit alone writes refusals.
 */
export const aside = (
  { app, req, res, request, response, originalUrl }: Context,
  state: Readonly<Record<string, unknown>>,
): Aside => {
  const written = new Map<string, unknown>()
  const set = (field: string | Readonly<Record<string, unknown>>, value?: unknown) => {
    if (typeof field === 'string') written.set(field, value)
    else for (const [name, each] of Object.entries(field)) written.set(name, each)
  }
  const view: Context = Object.assign(Object.create(prototypeOf(app.context)), {
    app,
    req,
    res,
    request,
    response,
    originalUrl,
    state: { ...state },
    set,
    status: 404,
  })
  return { view, written }
}
