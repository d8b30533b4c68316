import type { Layers } from '../../src/layers/layers.js'

/** A hook between the decision of a request and its commit. */
export interface Pause {
  readonly composeLayers: (layers: Layers) => Layers
  /** does this once, after the next decision that opens a store, and before the store is used */
  once(act: () => Promise<unknown>): void
  /** does this after every decision, until it is told otherwise */
  always(act: (() => Promise<unknown>) | undefined): void
}

export const createPause = (): Pause => {
  let next: (() => Promise<unknown>) | undefined
  let each: (() => Promise<unknown>) | undefined
  return {
    once: (act) => {
      next = act
    },
    always: (act) => {
      each = act
    },
    composeLayers: (layers) => ({
      ...layers,
      data: (rule, context) => {
        const act = next ?? each
        next = undefined
        return delayed(layers.data(rule, context), act)
      },
    }),
  }
}

/** The same store, whose functions do this first. */
const delayed = <Store>(store: Store, act: (() => Promise<unknown>) | undefined): Store => {
  if (typeof store !== 'object' || store === null || act === undefined) return store
  const members = Object.entries(store).map(([name, member]: readonly [string, unknown]) => {
    if (typeof member !== 'function') return [name, { value: member }] as const
    const value = async (...given: readonly unknown[]): Promise<unknown> => {
      await act()
      return Reflect.apply(member, store, given)
    }
    return [name, { value }] as const
  })
  return Object.create(store, Object.fromEntries(members))
}
