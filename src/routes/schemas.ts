import { z } from 'zod'

import { isId } from '../domain/id.js'
import { isCode } from '../domain/link.js'
import { isUserRole } from '../domain/role.js'
import { isEmail } from '../domain/user.js'

/** Schemas that several resources share. */
export const Id = z
  .string()
  .refine(isId, 'must be a positive 64-bit integer in decimal')
  .meta({ pattern: '^[1-9][0-9]{0,18}$' })

export const Code = z
  .string()
  .refine(isCode, 'must be 1 to 64 characters of A-Z, a-z, 0-9, _ and -')
  .meta({ pattern: '^[A-Za-z0-9_-]{1,64}$' })

export const Role = z
  .string()
  .refine(isUserRole, 'must be a role of [a-z][a-z0-9_-]{0,31}, and not anonymous, anyone or user')
  .meta({ pattern: '^[a-z][a-z0-9_-]{0,31}$' })

export const Email = z
  .string()
  .max(254)
  .refine(isEmail, 'must be one e-mail address in ASCII, such as ada@example.com')
  .meta({ format: 'email' })

export const Name = z.string().trim().min(1, 'must not be empty').max(200)
export const Password = z.string().min(8, 'must have at least 8 characters').max(256)
/** The token of a link that was sent to somebody. Any text: one that is none is answered as one that has ended. */
export const LinkToken = z.string().min(1).max(512)
/** A text of a form that is shown again, whatever else was sent. */
export const textIn = (sent: unknown, name: string): string => {
  const [, text]: readonly unknown[] = Object.entries(Object(sent)).find(([each]) => each === name) ?? []
  return typeof text === 'string' ? text : ''
}

export const Time = z.iso.datetime()

export const PageLimit = z
  .string()
  .default('20')
  .refine(
    (text) => /^\d{1,3}$/.test(text) && Number(text) >= 1 && Number(text) <= 100,
    'must be an integer from 1 to 100',
  )
  .transform(Number)
export const Cursor = z.string().min(1).max(400).optional()

export const pageOf = <View extends z.ZodType>(view: View) =>
  z.object({ data: z.array(view), next_cursor: z.string().nullable() })

/** How a user sees their own account. */
export const ProfileView = z
  .object({ id: Id, email: z.string(), name: z.string(), role: z.string(), created_at: Time })
  .meta({ id: 'Profile' })
