import type { Layers } from '../../src/layers/route.js'

/** A hook between the decision of a request and its commit. */
export interface Pause {
  readonly composeLayers: (layers: Layers) => Layers
  /** does this once, after the next decision and before what was decided is done */
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
      object: async (...args) => {
        const decided = await layers.object(...args)
        const act = next ?? each
        next = undefined
        await act?.()
        return decided
      },
    }),
  }
}
