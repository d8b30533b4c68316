import { z } from 'zod'

import { isId } from '../domain/id.js'
import { faultMessage } from '../input/fault-message.js'
import type { LinkFields } from '../layers/4-data/links.js'
import { linkFields } from '../routes/link-fields.js'
import { Instant } from '../routes/schemas.js'
import type { OwnPlace } from '../routes/target.js'
import { BOOLEAN_RULE, booleanOf, typedFields, unstorableIn } from './typed-fields.js'
import type { Words } from './words.js'

export interface ImportedLink extends Omit<LinkFields, 'code' | 'password_hash'> {
  /** its previous id; null: any */
  readonly id: string | null
  /** null: an unguessable one is generated */
  readonly code: string | null
  /** its owner; null: none */
  readonly owner_id: string | null
  /** null: now */
  readonly created_at: string | null
  readonly updated_at: string | null
  /** a new password; null: none */
  readonly password: string | null
  /** true if it had a password that is not in the file */
  readonly lacksPassword: boolean
}

export type Read<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly reason: string }

const NEWEST_KEPT = 10n ** 15n

/**
 * True for an id that a link may keep: up to 10^15, so that no file can use up all ids
 * (migrations/functions/import_links.sql).
 */
export const isKeptId = (text: string): boolean => isId(text) && BigInt(text) <= NEWEST_KEPT

/**
 * The rules for a link of any format: those of POST /links, and for the times that only an import sets. Pure, except
 * for the clock: neither of these times may be in the future.
 */
export const linkReader = (place: OwnPlace): ((words: Words) => Read<ImportedLink>) => {
  const { code, ...fields } = linkFields(place)
  const Past = Instant.refine((text) => Date.parse(text) <= Date.now() + CLOCKS_DIFFER_MS, 'must not be in the future')
  const Link = z.object({
    ...fields,
    code: code.optional(),
    id: z.string().refine(isId, 'must be a positive integer').optional(),
    owner_id: z.string().refine(isId, 'must be the id of a user').optional(),
    created_at: Past.optional(),
    updated_at: Past.optional(),
  })
  return (words) => {
    const { has_password: guarded, ...texts } = words
    const unstorable = unstorableIn(texts)
    if (unstorable !== undefined) return refused(`${unstorable} holds a character that cannot be stored`)
    if (!words.target) return refused('target is missing')
    const parsed = Link.safeParse(typedFields(texts), { error: faultMessage })
    if (!parsed.success)
      return refused(parsed.error.issues.map((issue) => `${issue.path.join('.')} ${ruleOf(issue)}`).join('; '))
    const link = parsed.data
    if (link.starts_at && link.expires_at && link.starts_at >= link.expires_at)
      return refused('expires_at must be after starts_at')
    const isGuarded = guarded === undefined ? false : booleanOf(guarded)
    if (typeof isGuarded === 'string') return refused(`has_password ${BOOLEAN_RULE}`)
    return {
      ok: true,
      value: {
        id: link.id !== undefined && isKeptId(link.id) ? link.id : null,
        code: link.code ?? null,
        target: link.target,
        owner_id: link.owner_id ?? null,
        created_at: link.created_at ?? null,
        updated_at: link.updated_at ?? link.created_at ?? null,
        title: link.title ?? null,
        note: link.note ?? null,
        tags: link.tags ?? [],
        status: link.status ?? 302,
        active: link.active ?? true,
        starts_at: link.starts_at ?? null,
        expires_at: link.expires_at ?? null,
        max_visits: link.max_visits ?? null,
        forward_query: link.forward_query ?? false,
        password: link.password ?? null,
        lacksPassword: isGuarded === true && !link.password,
      },
    }
  }
}

/** Tolerance for clocks of other machines. */
const CLOCKS_DIFFER_MS = 24 * 3_600_000

const refused = (reason: string): Read<never> => ({ ok: false, reason })

const ruleOf = (issue: z.core.$ZodIssue): string =>
  issue.code !== 'invalid_type' ? issue.message : issue.expected === 'boolean' ? BOOLEAN_RULE : 'must be a whole number'
