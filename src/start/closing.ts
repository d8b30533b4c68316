/** What a start has opened, and has to be closed again: the newest first. */
export interface Closing {
  add(close: () => Promise<unknown> | void): void
  /** Closes all of it, once. One that fails keeps no other open; the first failure is thrown at the end. */
  closeAll(): Promise<void>
}

/** Collects what is to be closed. A second `closeAll` waits for the first, which closes nothing that came later. */
export const createClosing = (): Closing => {
  const opened: (() => Promise<unknown> | void)[] = []
  let closed: Promise<void> | undefined
  const closeAll = async () => {
    const failures: unknown[] = []
    for (const close of opened.toReversed()) {
      try {
        await close()
      } catch (error) {
        failures.push(error)
      }
    }
    if (failures.length > 0) throw failures[0]
  }
  return {
    add: (close) => void opened.push(close),
    closeAll: () => (closed ??= closeAll()),
  }
}
