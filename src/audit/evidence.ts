import { z } from 'zod'

import { escapeInvisible } from '../log/escape-invisible.js'
import { Count, Hash } from './checkpoint.js'
import type { StatementKind } from './signed-statement.js'

// The file format of docs/audit.md: the entries of a period with the text of each hash, and signatures over them.

const Place = z.object({ seq: Count, hash: Hash })

const VERSION = 1

const Header = z.object({
  type: z.literal('evidence'),
  version: z.literal(VERSION),
  issuer: z.string(),
  /** ISO 8601; null: from the beginning of the log. `from` is inclusive, `to` is not */
  from: z.iso.datetime().nullable(),
  to: z.iso.datetime(),
  made_at: z.iso.datetime(),
  made_for: z.string(),
  /** the fields of an entry's text, in this order */
  fields: z.array(z.string()),
  key: z.object({ kty: z.literal('EC'), crv: z.literal('P-256'), x: z.string(), y: z.string() }),
})
export type EvidenceHeader = z.infer<typeof Header>

/** The header of a file that another version of the program made. */
export const OtherVersion = z.object({
  type: z.literal('evidence'),
  version: z.int().refine((version) => version !== VERSION),
})

const Signed = { jws: z.string() }

/** A line of the file, by its type. */
export const EvidenceLine = z.discriminatedUnion('type', [
  Header,
  z.object({ type: z.literal('retired'), ...Signed }),
  z.object({ type: z.literal('start'), ...Signed }),
  z.object({ type: z.literal('entry'), previous: Hash, hash: Hash, text: z.string() }),
  z.object({ type: z.literal('checkpoint'), ...Signed }),
  z.object({ type: z.literal('end'), ...Signed }),
])
export type EvidenceLine = z.infer<typeof EvidenceLine>

const End = z.object({
  /** of all bytes before the last line */
  sha256: Hash,
  entries: z.number(),
  /** every chain, with its first entry in the file (null: none) and its head after the last */
  chains: z.array(z.object({ writer: Count, first: Place.nullable(), last: Place })),
  /** faults in the log that the service found while it wrote the file */
  faults: z.number(),
  /** checkpoints left out: not valid, covering less than the one before, or with too many entries to wait for it */
  left_out: z.number(),
})
export type EvidenceEnd = z.infer<typeof End>

/** The signed content of the last line. */
export const EVIDENCE: StatementKind<EvidenceEnd> = {
  type: 'linkgate-evidence+jwt',
  name: 'the end of an evidence file',
  schema: End,
}

/** A line, with control characters escaped so that a terminal shows it as text. */
export const evidenceLine = (line: EvidenceLine): string => `${escapeInvisible(JSON.stringify(line))}\n`

/** The last line has only one valid form, so that no byte of it can change unnoticed. */
export const END_LINE = /^\{"type":"end","jws":"[\w-]+\.[\w-]+\.[\w-]+"\}\n$/
