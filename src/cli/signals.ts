import { closeSync, openSync } from 'node:fs'

export interface Signals {
  /** SIGTERM or SIGINT: stop in order */
  readonly first: Promise<void>
  /** another one: stop at once */
  readonly second: Promise<void>
  /** SIGHUP that somebody sent */
  onHangUp(listener: () => void): void
}

/**
 * Follows the signals of a service. SIGHUP asks for a restart, but where the terminal sends it because it is closed:
 * that ends the process at once, as it does without a handler. Nothing could be written to the terminal any more.
 */
export const onSignals = (): Signals => {
  const hadTerminal = hasTerminal()
  let hungUp: () => void = () => undefined
  const wait = () =>
    new Promise<void>((resolve) => {
      const done = () => {
        process.off('SIGTERM', done)
        process.off('SIGINT', done)
        process.off('SIGHUP', hear)
        resolve()
      }
      const hear = () => {
        if (!hadTerminal || hasTerminal()) return hungUp()
        process.off('SIGHUP', hear)
        process.kill(process.pid, 'SIGHUP')
      }
      process.on('SIGTERM', done)
      process.on('SIGINT', done)
      process.on('SIGHUP', hear)
    })
  const first = wait()
  return {
    first,
    second: first.then(wait),
    onHangUp: (listener) => {
      hungUp = listener
    },
  }
}

/** A process whose terminal was closed has none any more. */
const hasTerminal = (): boolean => {
  try {
    closeSync(openSync('/dev/tty', 'r'))
    return true
  } catch {
    return false
  }
}
