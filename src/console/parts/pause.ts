/** Resolves after `ms` milliseconds, or as soon as `signal` aborts. */
export const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', end)
      resolve()
    }
    const timer = setTimeout(end, ms)
    signal.addEventListener('abort', end)
    if (signal.aborted) end()
  })

/** The same, but rejects if `signal` aborts. */
export const wait = async (ms: number, signal: AbortSignal): Promise<void> => {
  await pause(ms, signal)
  signal.throwIfAborted()
}

/** Seconds before the nth reconnection, from 0: doubled each time, at most a minute. */
export const waitBefore = (attempt: number): number => Math.min(60, 2 ** (attempt + 1))

/** Waits before the nth attempt, or until `signal` aborts. `tell` gets the remaining seconds, every second. */
export const countDown = async (attempt: number, signal: AbortSignal, tell: (left: number) => void): Promise<void> => {
  for (let left = waitBefore(attempt); left > 0 && !signal.aborted; left -= 1) {
    tell(left)
    await pause(1_000, signal)
  }
}
