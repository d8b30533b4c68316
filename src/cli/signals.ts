import { closeSync, openSync } from 'node:fs'

export interface Signals {
  /** SIGTERM, SIGINT, or a terminal that was closed: stop in order */
  readonly first: Promise<void>
  /** another one: stop at once */
  readonly second: Promise<void>
  /** SIGHUP that somebody sent */
  onHangUp(listener: () => void): void
}

/** Follows the signals of a service. SIGHUP asks for a restart, but where the terminal sends it because it is closed. */
export const onSignals = (): Signals => {
  const hadTerminal = hasTerminal()
  let hungUp: () => void = () => undefined
  const wait = () => new Promise<void>((resolve) => {
    const done = () => {
      process.off('SIGTERM', done)
      process.off('SIGINT', done)
      process.off('SIGHUP', hear)
      resolve()
    }
    const hear = () => {
      if (hadTerminal && !hasTerminal()) done()
      else hungUp()
    }
    process.on('SIGTERM', done)
    process.on('SIGINT', done)
    process.on('SIGHUP', hear)
  })
  const first = wait()
  return { first, second: first.then(wait), onHangUp: (listener) => { hungUp = listener } }
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
