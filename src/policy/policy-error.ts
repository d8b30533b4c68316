import type { Fault } from '../domain/refusal.js'

/** A model, a set of rows or a policy file that cannot be put in force. The message is one line. */
export class PolicyError extends Error {
  override readonly name = 'PolicyError'
}

const MOST_FAULTS = 10

/** The first faults in one line, and the number of the others. */
export const describeFaults = (faults: readonly Fault[]): string => {
  const shown = faults.slice(0, MOST_FAULTS).map(({ field, message }) => (field ? `${field}: ${message}` : message))
  if (faults.length > MOST_FAULTS) shown.push(`and ${faults.length - MOST_FAULTS} more`)
  return shown.join('; ')
}
