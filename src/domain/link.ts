import type { Id } from './id.js'

/** A stored link. Times are ISO 8601 in UTC; `version` grows with every change. */
export interface Link {
  readonly id: Id
  readonly code: string
  readonly target: string
  readonly owner_id: Id | null
  readonly created_at: string
  readonly updated_at: string
  readonly version: number
}

/** The only property of a record that the policy function uses. */
export interface Owned {
  readonly owner_id?: string | null
}

const CODE = /^[A-Za-z0-9_-]{1,64}$/

/** Checks alphabet and length only, not uniqueness or reserved words. */
export const isCode = (text: unknown): text is string => typeof text === 'string' && CODE.test(text)
