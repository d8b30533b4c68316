import type { PolicyPreview } from '../../api'
import { t } from '../../language/language'

interface Applicable {
  /** why this user may not edit the policy; null: they may */
  readonly denied: string | null
  readonly isStale: boolean
  readonly isEmpty: boolean
  readonly isFresh: boolean
  /** rows that cannot be added or removed */
  readonly faults: number
  readonly preview: PolicyPreview | null
  readonly reason: string
}

/** Why the edit cannot be applied now: the first thing that the user has to mend. Null: it can. */
export const whyOff = ({ denied, isStale, isEmpty, isFresh, faults, preview, reason }: Applicable): string | null => {
  const { off } = t.propose
  if (denied !== null) return denied
  if (isStale) return off.stale
  if (isEmpty) return off.nothing
  if (!isFresh) return off.asking
  if (faults > 0) return off.faults(faults)
  const objections = preview?.objections ?? []
  const violations = objections.flatMap((each) => each.violations ?? [])
  if (violations.length > 0) return off.refused(violations.length)
  if (objections.length > 0) return off.beyond
  return reason.trim() === '' ? off.reason : null
}
