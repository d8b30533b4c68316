import { z } from 'zod'

import { REDIRECT_STATUSES } from '../domain/link.js'
import type { Link } from '../domain/link.js'
import { Refusal } from '../domain/refusal.js'
import { MOST_VISITS } from './link-fields.js'
import { Code, Id, Time, count, text, textOrNull } from './schemas.js'

/** For the description of the API. */
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
} as const

/** A link as it is answered to those who may change it. */
export const ManagedLinkView = z
  .object({
    code: Code,
    target: text(2_048, 'where it leads'),
    title: textOrNull(200, 'one line'),
    id: Id.describe('of the link; it stays when the code changes'),
    url: z
      .url()
      .max(2_048)
      .meta({ description: 'the short URL', examples: [LINK_EXAMPLE.url] }),
    owner_id: Id.nullable().describe('whose it is; null: nobody’s'),
    created_at: Time.describe('when it was made'),
    updated_at: Time.describe('when it was changed last'),
    note: textOrNull(2_000, 'for those who may change it'),
    tags: z.array(text(40, 'a tag')).max(20).describe('in the order in which they were given'),
    status: z.literal([...REDIRECT_STATUSES]).describe('of the redirect'),
    active: z.boolean().describe('false: a visitor gets 404'),
    starts_at: Time.nullable().describe('a visitor before that gets 404'),
    expires_at: Time.nullable().describe('a visitor from then on gets 410'),
    max_visits: z.int().min(1).max(MOST_VISITS).nullable().describe('redirects that are given out at most'),
    has_password: z.boolean().describe('whether a visitor is asked for a password'),
    forward_query: z.boolean().describe('whether a visitor’s parameters are added to the target’s'),
    visits: z
      .object({
        total: count('people who followed it'),
        last_at: Time.nullable().describe('when the last of them did'),
      })
      .meta({ description: 'people who followed the link; bots are counted apart' }),
    deleted_at: Time.optional().meta({ description: 'of a link in the trash' }),
  })
  .meta({
    id: 'ManagedLink',
    description: 'A link as those who may change it see it.',
  })

/** The same as it is answered to anybody. */
export const LinkView = ManagedLinkView.partial()
  .extend(ManagedLinkView.pick({ code: true, title: true }).shape)
  .meta({
    id: 'Link',
    description:
      'Callers who may not change the link see its code, title and target, and no target where a password guards it.',
  })

/** What a caller who may change the link sees: all of it, and its short URL. */
export const wholeAt =
  (baseUrl: string) =>
  <Shown extends Link>(link: Shown) => {
    const { version: _, used: __, ...shown } = link
    return { ...shown, url: `${baseUrl}/${link.code}` }
  }

/** What everybody else sees. */
export const publicPart = ({ code, target, title, has_password: guarded }: Link) =>
  guarded ? { code, title } : { code, target, title }

/** Names a version of a link, and how often it was followed; not for everybody. */
export const tagOf = (link: Link): string => {
  const { total } = link.visits
  return total === 0 ? `"${versionOf(link)}"` : `"${versionOf(link)}.${total}"`
}

const versionOf = ({ id, version }: Link): string => `${id}-${version}`

/**
 * RFC 9110 §13.1.1: If-Match is checked after authorization and before the change. Returns the version that the commit
 * must still find; undefined: any.
 */
export const requireMatch = (link: Link, ifMatch: string | undefined): number | undefined => {
  if (ifMatch === undefined) return undefined
  // a visit changes no version
  const tags = ifMatch.split(',').map((tag) => tag.trim().replace(/\.\d+"$/, '"'))
  if (tags.includes(`"${versionOf(link)}"`) || ifMatch.trim() === '*') return link.version
  throw new Refusal('precondition_failed', {
    detail: ifMatch.includes('"')
      ? 'The link has another version than If-Match names. ' +
        'Read it again, with your token: without one it has another ETag.'
      : 'If-Match takes an ETag with its quotes, such as "42-7".',
  })
}
