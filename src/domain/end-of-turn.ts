let pending: Promise<void> | undefined

/** Resolves at the end of this turn of the event loop, for everyone who asked in it at once. */
export const endOfTurn = (): Promise<void> =>
  (pending ??= new Promise((resolve) => {
    setImmediate(() => {
      pending = undefined
      resolve()
    })
  }))
