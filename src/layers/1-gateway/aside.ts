import type { Context } from 'koa'

/** A request as a given middleware sees it, and what that middleware wrote. */
export interface Aside {
  readonly view: Context
  readonly written: ReadonlyMap<string, unknown>
}

/**
 * Shows the request to a given middleware without letting it write to the answer: its state starts as `state` and is its
 * own, its headers, status and body are kept aside. So no middleware finds settings that another one left on `ctx.state`,
 * and the one error exit alone writes refusals.
 */
export const aside = (ctx: Context, state: Readonly<Record<string, unknown>>): Aside => {
  const written = new Map<string, unknown>()
  const set = (field: string | Readonly<Record<string, unknown>>, value?: unknown) => {
    if (typeof field === 'string') written.set(field, value)
    else for (const [name, each] of Object.entries(field)) written.set(name, each)
  }
  const view: Context = Object.create(ctx, {
    state: { value: { ...state } },
    set: { value: set },
    status: { value: 404, writable: true },
    body: { value: undefined, writable: true },
  })
  return { view, written }
}
