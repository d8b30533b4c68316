import { z } from 'zod'

import { REDIRECT_STATUSES, type Link } from '../domain/link.js'
import { Refusal } from '../domain/refusal.js'
import { MOST_VISITS } from './link-fields.js'
import { Code, Id, Time, count, text, textOrNull } from './schemas.js'

export const LINK_EXAMPLE = {
  id: '42',
  code: 'spring',
  url: 'https://lnk.example/spring',
  target: 'https://example.com/spring',
  owner_id: '7',
  created_at: '2026-11-01T09:00:00.000Z',
  updated_at: '2026-11-01T09:00:00.000Z',
  title: 'Spring',
  note: null,
  tags: ['campaign'],
  status: 302,
  active: true,
  starts_at: null,
  expires_at: null,
  max_visits: null,
  has_password: false,
  forward_query: false,
  visits: { total: 207, last_at: '2026-11-23T05:10:29.053Z' },
  etag: '"42-1.207.0"',
} as const

export const ManagedLinkView = z
  .object({
    code: Code,
    target: text(2_048, 'the target URL'),
    title: textOrNull(200, 'one line'),
    id: Id.describe('id of the link; it does not change with the code'),
    url: z
      .url()
      .max(2_048)
      .meta({ description: 'the short URL', examples: [LINK_EXAMPLE.url] }),
    owner_id: Id.nullable().describe('id of the owner; null: no owner'),
    created_at: Time.describe('when it was created'),
    updated_at: Time.describe('when it was last changed'),
    note: textOrNull(2_000, 'for those who may change it'),
    tags: z.array(text(40, 'a tag')).max(20).describe('in the order in which they were given'),
    status: z.literal([...REDIRECT_STATUSES]).describe('status of the redirect'),
    active: z.boolean().describe('false: visitors get 404'),
    starts_at: Time.nullable().describe('before this time, visitors get 404'),
    expires_at: Time.nullable().describe('from this time on, visitors get 410'),
    max_visits: z.int().min(1).max(MOST_VISITS).nullable().describe('the limit of redirects'),
    has_password: z.boolean().describe('whether visitors must enter a password'),
    forward_query: z.boolean().describe('whether a visitor’s parameters are added to the target’s'),
    visits: z
      .object({
        total: count('visits by people'),
        last_at: Time.nullable().describe('time of the last one'),
        left: z.int().min(0).optional().meta({
          description: 'redirects that `max_visits` still allows, bots included; absent without a limit',
        }),
      })
      .meta({ description: 'visits by people; bots are counted separately' }),
    etag: text(64, 'for If-Match, also as the header `ETag` of the single link'),
    deleted_at: Time.optional().meta({ description: 'when it was deleted; only for a link in the trash' }),
  })
  .meta({
    id: 'ManagedLink',
    description: 'A link, as shown to callers who may change it.',
  })

export const LinkView = ManagedLinkView.partial()
  .extend(ManagedLinkView.pick({ code: true, title: true }).shape)
  .meta({
    id: 'Link',
    description:
      'Callers who may not change the link see its code, title and target, or no target if a password protects it.',
  })

/** All of a link and its short URL, for a caller who may change it. */
export const wholeAt =
  (baseUrl: string) =>
  <Shown extends Link>(link: Shown) => {
    const { version: _version, used: _used, starts_ms: _starts, expires_ms: _expires, ...shown } = link
    return { ...shown, visits: visitsOf(link), url: `${baseUrl}/${link.code}`, etag: tagOf(link) }
  }

const visitsOf = ({ visits, max_visits: most, used }: Link) =>
  most === null ? visits : { ...visits, left: Math.max(most - used, 0) }

/** The part of a link that everybody else sees. */
export const publicPart = ({ code, target, title, has_password: guarded }: Link) =>
  guarded ? { code, title } : { code, target, title }

/** The ETag of a link's version and its counts of visits; only for callers who may change it. */
export const tagOf = (link: Link): string => {
  const { used, visits } = link
  return used + visits.total === 0 ? `"${versionOf(link)}"` : `"${versionOf(link)}.${visits.total}.${used}"`
}

const versionOf = ({ id, version }: Link): string => `${id}-${version}`

/**
 * RFC 9110 §13.1.1: If-Match is checked after authorization and before the change. Returns the version that the commit
 * must still find; undefined: any.
 */
export const requireMatch = (link: Link, ifMatch: string | undefined): number | undefined => {
  if (ifMatch === undefined) return undefined
  // visits do not change the version
  const tags = new Set(ifMatch.split(',').map((tag) => tag.trim().replace(/\.[\d.]+"$/, '"')))
  const current = `"${versionOf(link)}"`
  if (tags.has(current) || ifMatch.trim() === '*') return link.version
  throw new Refusal('precondition_failed', { detail: mismatch(ifMatch, tags.has(`W/${current}`)) })
}

/** `isWeakened`: it is the current version, which reading the link once more would not change. */
const mismatch = (ifMatch: string, isWeakened: boolean): string => {
  if (isWeakened) return 'If-Match takes an ETag without W/, which a proxy that compresses puts before it.'
  return ifMatch.includes('"')
    ? 'The current version of the link is not the one in If-Match. ' +
        'Read it again, with your token: without one it has another ETag.'
    : 'If-Match takes an ETag with its quotes, such as "42-7".'
}
