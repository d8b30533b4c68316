import { z } from 'zod'

import { isHeading } from './csv-headings.js'

const MOST = 500

/** Normalizes a comment: lines end in LF, and the headings of an exported file are left out. */
const tidy = (text: string): string =>
  text
    .split(/\r\n|[\r\n]/)
    .filter((line) => !isHeading(line))
    .join('\n')
    .trim()

/** Characters that cannot be stored in a file, in PostgreSQL or shown on a terminal. */
const UNWRITABLE = /(?![\n\t])[\p{Cc}\p{Cs}]/u

/** The comment of a row; an empty string means none. */
export const CommentText = z
  .string()
  .meta({ maxLength: MOST })
  .transform(tidy)
  .pipe(
    z
      .string()
      .max(MOST, `must have at most ${MOST} characters`)
      .refine((text) => !UNWRITABLE.test(text), 'must hold no control characters and no half of a character'),
  )
