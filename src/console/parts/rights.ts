import { t } from '../language/language'

/** What the service would answer this caller, as it says itself. */
export interface Right {
  readonly allowed: boolean
  readonly layer: 'gateway' | 'endpoint' | 'object'
  readonly rule: string | null
}

/** Why a button is off; null where it is on, and while nobody knows. */
export const reasonOf = (right: Right | undefined): string | null => {
  if (right === undefined || right.allowed) return null
  return right.layer === 'object' ? t.rights.object(right.rule) : t.rights[right.layer]
}
