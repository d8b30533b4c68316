import { z } from 'zod'

import { isHeading } from './csv-headings.js'

const MOST = 500

/** One form for what a reader takes for the same: lines end in LF, without the headings of an exported file. */
const tidy = (text: string): string =>
  text
    .split(/\r\n|[\r\n]/)
    .filter((line) => !isHeading(line))
    .join('\n')
    .trim()

/** What a line of a file, a terminal or PostgreSQL cannot take as text. */
const UNWRITABLE = /(?![\n\t])[\p{Cc}\p{Cs}]/u

/** The comment of a row, as somebody wrote it; empty: none. */
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
