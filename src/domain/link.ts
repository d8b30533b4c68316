import type { Id } from './id.js'

/** Redirect statuses. Browsers keep the method for 307 and 308, and may change it for the others. */
export const REDIRECT_STATUSES = [301, 302, 307, 308] as const
export type RedirectStatus = (typeof REDIRECT_STATUSES)[number]

/** How often people followed a link, and when last (ISO 8601 in UTC). Bots are counted separately. */
export interface VisitCount {
  readonly total: number
  readonly last_at: string | null
}

export const NO_VISITS: VisitCount = { total: 0, last_at: null }

/** A stored link. Times are ISO 8601 in UTC; `version` grows with every change. */
export interface Link {
  readonly id: Id
  readonly code: string
  readonly target: string
  readonly owner_id: Id | null
  readonly created_at: string
  readonly updated_at: string
  readonly version: number
  readonly title: string | null
  readonly note: string | null
  readonly tags: readonly string[]
  readonly status: RedirectStatus
  readonly active: boolean
  readonly starts_at: string | null
  readonly expires_at: string | null
  /** `starts_at` and `expires_at` in milliseconds since 1970, so that a redirect does not parse them; never shown */
  readonly starts_ms: number | null
  readonly expires_ms: number | null
  readonly max_visits: number | null
  /** redirects given out since `max_visits` was set */
  readonly used: number
  readonly has_password: boolean
  /** whether a visitor's query parameters are added to the target's */
  readonly forward_query: boolean
  /** zero if the query did not read them, as for a redirect */
  readonly visits: VisitCount
}

export type FindLink = (code: string) => Promise<Link | null>

/**
 * What a visitor finds at a code. `absent`: not active, or not yet started; `expired`: past its end or its visit limit.
 */
type LinkState = 'open' | 'absent' | 'expired'

/** `now`: milliseconds since 1970. */
export const stateOf = (
  { active, starts_ms: start, expires_ms: end, max_visits: most, used }: Link,
  now: number,
): LinkState => {
  if (!active || (start !== null && now < start)) return 'absent'
  return (end !== null && now >= end) || (most !== null && used >= most) ? 'expired' : 'open'
}

/** The only property of a record that the policy function uses. */
export interface Owned {
  readonly owner_id?: string | null
}

const CODE = /^[A-Za-z0-9_-]{1,64}$/

/** Checks alphabet and length only, not uniqueness or reserved words. */
export const isCode = (text: unknown): text is string => typeof text === 'string' && CODE.test(text)
