import { t } from '../language/language'

/** What the service would answer this caller, as it says itself. */
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

/** Why a button is off; null where it is on, and while nobody knows. */
export const reasonOf = reasonWith((rule) => t.rights.object(rule))

/** The same about one link, of which somebody who may change their own is told that it is not theirs. */
export const linkReasonOf = reasonWith((rule) => t.rights.link(rule))
