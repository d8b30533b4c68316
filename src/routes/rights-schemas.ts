import { z } from 'zod'

import type { ServiceAction } from '../domain/action.js'
import type { Who } from '../domain/decision.js'
import { Code, RevisionNumber, Role, text, textOrNull } from './schemas.js'

const MOST_CODES = 100

/** Actions on an existing link. */
export const LINK_ACTIONS = ['link:update', 'link:delete', 'link:transfer'] as const

export const AskedRights = z.strictObject({
  codes: z.array(Code).max(MOST_CODES).describe('codes of links to check as well'),
})

const RightView = z
  .object({
    allowed: z.boolean().describe('whether the layers allow it'),
    layer: z.enum(['gateway', 'endpoint', 'object']).describe('the last layer, or the first that refuses'),
    rule: textOrNull(16, 'the rule by which `can()` decides; null if it is not asked'),
  })
  .meta({ id: 'Right' })

const LinkRights = z.object({
  'link:update': RightView,
  'link:delete': RightView,
  'link:transfer': RightView,
} satisfies Record<(typeof LINK_ACTIONS)[number], typeof RightView>)

const ServiceRights = z.object({
  'link:read': RightView,
  'link:create': RightView,
  'link:update': RightView,
  'link:delete': RightView,
  'link:transfer': RightView,
  'user:invite': RightView,
  'user:read': RightView,
  'user:update': RightView,
  'user:delete': RightView,
  'policy:read': RightView,
  'policy:write': RightView,
  'policy:evaluate': RightView,
  'audit:read': RightView,
  'profile:read': RightView,
  'profile:update': RightView,
} satisfies Record<ServiceAction, typeof RightView>)

export const OwnRightsView = z
  .object({
    revision: RevisionNumber,
    role: text(32, 'role of the caller'),
    service: ServiceRights.describe('every action, checked without a record, as for a list'),
    links: z
      .array(z.object({ code: Code, rights: LinkRights.describe('rights to this link') }))
      .max(MOST_CODES)
      .describe('the visible links, in the order of `codes`'),
  })
  .meta({ id: 'OwnRights', description: 'what the layers allow this caller, with this token, under this revision' })

const rule = text(16, 'the rule that allows it')

const WhoView = z.discriminatedUnion('who', [
  z.object({ who: z.literal('owner').describe('may do it only to their own records'), rule }),
  z.object({ who: z.literal('role').describe('may do it to anybody’s records'), role: Role, rule }),
]) satisfies z.ZodType<Who>

export const Whos = z.array(WhoView).max(100_000)

export const LinkRightsView = z
  .object({
    revision: RevisionNumber,
    actions: z
      .object({ 'link:update': Whos.describe('who may change it'), 'link:delete': Whos.describe('who may delete it') })
      .describe('who may do it, by action'),
  })
  .meta({ id: 'LinkRights', description: 'the owner, and the roles named by rows' })
