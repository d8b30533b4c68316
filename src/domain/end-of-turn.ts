let pending: Promise<void> | undefined

/**
 * Resolves at the end of this turn of the event loop, for everyone who asked in it. What each does then runs in its own
 * async context, so a query belongs to the span of its request.
 */
export const endOfTurn = (): Promise<void> =>
  (pending ??= new Promise((resolve) => {
    setImmediate(() => {
      pending = undefined
      resolve()
    })
  }))
