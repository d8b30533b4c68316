import { closeSync, openSync } from 'node:fs'

import { deferred } from '../domain/deferred.js'

/**
 * How long a repeated signal counts as an echo: `npm start` forwards signals, and a terminal or a service manager also
 * sends them to the whole process group.
 */
const ECHO_MS = 250

/** Handles the signals of a service. A closed terminal stops it gracefully, and so the PostgreSQL that it started. */
export const onSignals = () => {
  const hadTerminal = hasTerminal()
  let hungUp: () => void = () => undefined
  const first = deferred()
  const second = deferred()
  let stopsSince: number | undefined
  // The same listeners for both: in a moment without any, an echo would end the process.
  const stop = () => {
    if (stopsSince === undefined) {
      stopsSince = performance.now()
      first.resolve()
    } else if (performance.now() - stopsSince >= ECHO_MS) {
      process.off('SIGTERM', stop).off('SIGINT', stop).off('SIGHUP', hangUp)
      second.resolve()
    }
  }
  const hangUp = () => (hadTerminal && !hasTerminal() ? stop() : hungUp())
  process.on('SIGTERM', stop).on('SIGINT', stop).on('SIGHUP', hangUp)
  return {
    /** SIGTERM, SIGINT, or the end of the terminal: stop gracefully */
    first: first.promise,
    /** true once the first has come */
    isStopping: (): boolean => stopsSince !== undefined,
    /** a second one: stop at once */
    second: second.promise,
    /** SIGHUP, unless the terminal was closed: restart */
    onHangUp: (listener: () => void): void => {
      hungUp = listener
    },
  }
}

export type Signals = ReturnType<typeof onSignals>

const ENDING = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/**
 * Lets a signal end a command only after `cleanUp`, unless the command handles that signal itself; a second one ends it
 * at once. `settled` settles like its argument, but never once a signal has come.
 */
export const onInterruption = (cleanUp: () => Promise<void>) => {
  let isInterrupted = false
  const off = (): void => {
    for (const signal of ENDING) process.off(signal, end)
  }
  const end = (signal: NodeJS.Signals): void => {
    off()
    if (process.listenerCount(signal) > 0) return
    isInterrupted = true
    const again = () => process.kill(process.pid, signal)
    void cleanUp().then(again, again)
  }
  for (const signal of ENDING) process.on(signal, end)
  return {
    settled: async <T>(work: Promise<T>): Promise<T> => {
      await Promise.allSettled([work])
      return isInterrupted ? new Promise<never>(() => undefined) : work
    },
    off,
  }
}

const hasTerminal = (): boolean => {
  try {
    closeSync(openSync('/dev/tty', 'r'))
    return true
  } catch {
    return false
  }
}
