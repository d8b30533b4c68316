import { closeSync, openSync } from 'node:fs'

export interface Signals {
  /** SIGTERM or SIGINT: stop gracefully */
  readonly first: Promise<void>
  /** another one: stop at once */
  readonly second: Promise<void>
  /** SIGHUP that somebody sent: restart */
  onHangUp(listener: () => void): void
}

/**
 * How long after a signal the same one is taken for its echo: `npm start` passes on what it gets, and a terminal or a
 * service manager sends it to the whole group as well.
 */
const ECHO_MS = 250

/**
 * Listens to the signals of a service. A SIGHUP because the terminal was closed ends the process at once, as it would
 * without a handler: nothing can be written there any more.
 */
export const onSignals = (): Signals => {
  const hadTerminal = hasTerminal()
  let hungUp: () => void = () => undefined
  const untilTold = (deafMs = 0) =>
    new Promise<void>((resolve) => {
      const listensFrom = performance.now() + deafMs
      const stop = () => {
        if (performance.now() < listensFrom) return
        process.off('SIGTERM', stop).off('SIGINT', stop).off('SIGHUP', hangUp)
        resolve()
      }
      const hangUp = () => {
        if (!hadTerminal || hasTerminal()) return hungUp()
        process.off('SIGHUP', hangUp)
        process.kill(process.pid, 'SIGHUP')
      }
      process.on('SIGTERM', stop).on('SIGINT', stop).on('SIGHUP', hangUp)
    })
  const first = untilTold()
  return {
    first,
    second: first.then(() => untilTold(ECHO_MS)),
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
