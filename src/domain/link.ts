import type { Id } from './id.js'

/** A link as stored and as its owner sees it. Times are ISO 8601 in UTC; `version` grows with every change. */
export interface Link {
  readonly id: Id
  readonly code: string
  readonly target: string
  readonly owner_id: Id | null
  readonly created_at: string
  readonly updated_at: string
  readonly version: number
}

/** What the policy function may know of a record: who owns it. */
export interface Owned {
  readonly owner_id?: string | null
}

const CODE = /^[A-Za-z0-9_-]{1,64}$/

/** The short code's alphabet and length; uniqueness and reserved words are decided elsewhere. */
export const isCode = (text: unknown): text is string => typeof text === 'string' && CODE.test(text)
