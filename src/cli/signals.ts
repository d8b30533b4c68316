import { closeSync, openSync } from 'node:fs'

export interface Signals {
  /** SIGTERM, SIGINT, or the end of the terminal: stop gracefully */
  readonly first: Promise<void>
  /** a second one: stop at once */
  readonly second: Promise<void>
  /** SIGHUP, unless the terminal was closed: restart */
  onHangUp(listener: () => void): void
}

/**
 * How long a repeated signal counts as an echo: `npm start` forwards signals, and a terminal or a service manager also
 * sends them to the whole process group.
 */
const ECHO_MS = 250

/** Handles the signals of a service. A closed terminal stops it gracefully, and so the PostgreSQL that it started. */
export const onSignals = (): Signals => {
  const hadTerminal = hasTerminal()
  let hungUp: () => void = () => undefined
  const nextStop = (ignoreMs = 0) =>
    new Promise<void>((resolve) => {
      const listensFrom = performance.now() + ignoreMs
      const stop = () => {
        if (performance.now() < listensFrom) return
        process.off('SIGTERM', stop).off('SIGINT', stop).off('SIGHUP', hangUp)
        resolve()
      }
      const hangUp = () => (hadTerminal && !hasTerminal() ? stop() : hungUp())
      process.on('SIGTERM', stop).on('SIGINT', stop).on('SIGHUP', hangUp)
    })
  const first = nextStop()
  return {
    first,
    second: first.then(() => nextStop(ECHO_MS)),
    onHangUp: (listener) => {
      hungUp = listener
    },
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
