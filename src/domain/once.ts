/** The same function, which runs at its first call only. It runs again after it has thrown. */
export const once = <Value extends object>(make: () => Value): (() => Value) => {
  let made: Value | undefined
  return () => (made ??= make())
}

/** Prevents concurrent runs of the work: a call while it runs joins that run. */
export const onceAtATime = (work: () => Promise<void>): (() => Promise<void>) => {
  let running: Promise<void> | undefined
  return () =>
    (running ??= work().finally(() => {
      running = undefined
    }))
}
