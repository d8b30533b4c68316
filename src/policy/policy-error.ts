import type { Fault } from '../domain/refusal.js'

/** A model, a set of rows or a policy file that must not be put in force. The message is one line for a person. */
export class PolicyError extends Error {
  constructor(
    message: string,
    readonly faults: readonly Fault[] = [],
  ) {
    super(message)
    this.name = 'PolicyError'
  }
}

/** `line 3, role: must be …; …` — the first faults of many, and how many more there are. */
export const describeFaults = (faults: readonly Fault[], most = 3): string => {
  const shown = faults
    .slice(0, most)
    .map(({ field, message }) => (field ? `${field}: ${message}` : message))
    .join('; ')
  return faults.length > most ? `${shown}; and ${faults.length - most} more` : shown
}
