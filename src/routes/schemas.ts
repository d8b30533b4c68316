import { z } from 'zod'

import { isCode } from '../domain/link.js'
import { isId } from '../domain/id.js'

/** Shapes that several resources share. */
export const Id = z
  .string()
  .refine(isId, 'must be a positive 64-bit integer in decimal')
  .meta({ pattern: '^[1-9][0-9]{0,18}$' })

export const Code = z
  .string()
  .refine(isCode, 'must be 1 to 64 characters of A-Z, a-z, 0-9, _ and -')
  .meta({ pattern: '^[A-Za-z0-9_-]{1,64}$' })

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
