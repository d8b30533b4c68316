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

/** Logs `outage` when one begins, and `recovered` when it ends; with `atStart`, also at a start without one. */
export const logOutages = (
  log: Logger,
  outage: string,
  recovered: string,
  { level = 'warn', atStart = false }: { readonly level?: 'warn' | 'error'; readonly atStart?: boolean } = {},
): ((fault: unknown) => void) => {
  let tellsEnd = atStart
  return onChange((err) => {
    if (err !== null) log[level]({ err }, outage)
    else if (tellsEnd) log.info(recovered)
    tellsEnd = true
  })
}
