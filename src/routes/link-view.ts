import { z } from 'zod'

import { REDIRECT_STATUSES } from '../domain/link.js'
import type { Link } from '../domain/link.js'
import { Refusal } from '../domain/refusal.js'
import { Code, Id, Time } from './schemas.js'

/** A link as it is answered. */
export const LinkView = z
  .object({
    code: Code,
    target: z.string().optional(),
    title: z.string().nullable(),
    id: Id.optional(),
    owner_id: Id.nullable().optional(),
    created_at: Time.optional(),
    updated_at: Time.optional(),
    note: z.string().nullable().optional(),
    tags: z.array(z.string()).optional(),
    status: z.literal([...REDIRECT_STATUSES]).optional(),
    active: z.boolean().optional(),
    starts_at: Time.nullable().optional(),
    expires_at: Time.nullable().optional(),
    max_visits: z.number().nullable().optional(),
    has_password: z.boolean().optional(),
    forward_query: z.boolean().optional(),
    visits: z
      .object({ total: z.int(), last_at: Time.nullable() })
      .optional()
      .meta({ description: 'people who followed the link; bots are counted apart' }),
    deleted_at: Time.optional().meta({ description: 'of a link in the trash' }),
  })
  .meta({
    id: 'Link',
    description:
      'Callers who may not change the link see its code, title and target, and no target where a password guards it.',
  })

/** What a caller who may change the link sees. */
export const whole = <Shown extends Link>(link: Shown) => {
  const { version: _, used: __, ...shown } = link
  return shown
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
  if (!tags.includes(`"${versionOf(link)}"`) && ifMatch.trim() !== '*')
    throw new Refusal('precondition_failed', { detail: 'The link has another version than If-Match names.' })
  return link.version
}
