import type { Logger } from 'pino'

import { messageOf } from '../domain/thrown.js'

/**
 * Forwards a call only if its fault differs from the last one: an error, compared by its message, or null (recovered).
 * So an outage that is noticed several times a second is logged only when it begins and ends.
 */
export const onChange = (tell: (fault: unknown) => void): ((fault: unknown) => void) => {
  let last: string | undefined
  return (fault) => {
    const message = messageOf(fault)
    if (message !== last) tell(fault)
    last = message
  }
}

/** Logs `outage`, as a warning, when one begins; `recovered`, if given, when it ends, and at a start without one. */
export const logOutages = (log: Logger, outage: string, recovered?: string): ((fault: unknown) => void) =>
  onChange((err) => {
    if (err !== null) log.warn({ err }, outage)
    else if (recovered !== undefined) log.info(recovered)
  })
