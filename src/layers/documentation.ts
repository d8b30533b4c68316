import type { z } from 'zod'

import type { RefusalCode } from '../domain/refusal.js'

/** The groups of operations, in the order of the API reference. */
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
  /** the operation's id, which client generators use as a method name: `createLink` */
  readonly id: string
  /** says in a few words what it does; also its name in the contents of the reference */
  readonly summary: string
  /** the details, in Markdown */
  readonly description?: string
  readonly tag: keyof typeof TAGS
  /** the body of a success, if it has one */
  readonly response?: z.ZodType
  /** media types of a success; default JSON only */
  readonly types?: readonly string[]
  /** `read`: a success has an ETag, and a matching If-None-Match gets 304. `write`: a success has the new ETag. */
  readonly tagged?: 'read' | 'write'
  /** what a 202 means: the change waits for approval. Its body is that of a success. */
  readonly proposed?: string
  /** other success statuses, and when they occur */
  readonly otherwise?: Readonly<Record<number, string>>
  /** whether the operation accepts or requires If-Match */
  readonly ifMatch?: 'optional' | 'required'
  /** true if a success has a Location header */
  readonly location?: true
  /** headers that only this operation's success has */
  readonly headers?: readonly 'Model-SHA256'[]
  /** the body of a 503, if it is not problem details */
  readonly unready?: z.ZodType
  /** refusals beside those of the layers */
  readonly refusals?: readonly RefusalCode[]
  /** a request that succeeds if the records it names exist, and its answer */
  readonly example?: {
    readonly query?: Readonly<Record<string, string | readonly string[]>>
    readonly body?: unknown
    readonly answer?: unknown
  }
}
