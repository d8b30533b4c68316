import type { z } from 'zod'

import type { RefusalCode } from '../domain/refusal.js'

/** What operations are about, in the order of the reference. */
export const TAGS = {
  links: 'Short links: make, find, change, give away, delete and restore them.',
  visits: 'Who followed links: counts and breakdowns, single visits, and visits as they come.',
  'sign-in': 'Tokens for a password or a refresh token, and links in mails that set a password or an address.',
  profile: 'The caller’s own account, and personal tokens for programs.',
  users: 'The users of this installation, and invitations.',
  policy: 'The rows that decide every operation, their revisions, and edits with exact analysis.',
  audit: 'The decision log: who was allowed or refused what, by which row.',
  access: 'OpenID AuthZEN Authorization API 1.0, for programs that ask this policy.',
  redirect: 'Following a link.',
  pages: 'What a browser asks for beside links.',
  system: 'Health, metrics, keys and this description.',
} as const

export interface Documentation {
  /** the operation's name, which clients take for a method: `createLink` */
  readonly id: string
  readonly summary: string
  /** more than a sentence, as Markdown */
  readonly description?: string
  readonly tag: keyof typeof TAGS
  /** the body of a success, where there is one */
  readonly response?: z.ZodType
  /** media types of a success, where it is not JSON alone */
  readonly types?: readonly string[]
  /** `read`: a success has an ETag, and If-None-Match is answered 304; `write`: it has the new one */
  readonly tagged?: 'read' | 'write'
  /** what a 202 means, which has the body of a success: the change waits for somebody */
  readonly proposed?: string
  /** other statuses of a success, and when it has them */
  readonly otherwise?: Readonly<Record<number, string>>
  /** whether If-Match is taken, or asked for */
  readonly ifMatch?: 'optional' | 'required'
  /** true where a success names where the record is */
  readonly location?: true
  /** the body of a 503 that says more than a problem does */
  readonly unready?: z.ZodType
  /** refusals beside those that the layers give */
  readonly refusals?: readonly RefusalCode[]
  /** a request that succeeds where what it names is there, and its answer */
  readonly example?: {
    readonly query?: Readonly<Record<string, string | readonly string[]>>
    readonly body?: unknown
    readonly answer?: unknown
  }
}
