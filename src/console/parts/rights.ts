import { t } from '../language/language'

/** The service's own statement of what it would decide for this caller. */
export interface Right {
  readonly allowed: boolean
  readonly layer: 'gateway' | 'endpoint' | 'object'
  readonly rule: string | null
}

const reasonWith =
  (ofObject: (rule: string | null) => string) =>
  (right: Right | undefined): string | null => {
    if (right === undefined || right.allowed) return null
    return right.layer === 'object' ? ofObject(right.rule) : t.rights[right.layer]
  }

/** Why a button is disabled; null if it is not, and while that is unknown. */
export const reasonOf = reasonWith((rule) => t.rights.object(rule))

/** The same for one link; a user who may change only their own links is told that it is not theirs. */
export const linkReasonOf = reasonWith((rule) => t.rights.link(rule))
