import { z } from 'zod'

import { Id, Instant, Time, count, text, textOrNull } from './schemas.js'

export const EvidenceQuery = z
  .strictObject({
    from: Instant.optional().describe('entries from then on; without it, from the beginning of the log'),
    to: Instant.optional().describe('entries before; without it, up to now'),
  })
  .refine(({ from, to }) => from === undefined || to === undefined || Date.parse(from) < Date.parse(to), {
    path: ['to'],
    error: 'must be later than from',
  })

const Thumbprint = text(64, 'thumbprint of a key (RFC 7638)')

export const ProofView = z
  .object({
    chains: z
      .array(
        z.object({
          chain: text(10, 'its number'),
          entries: count('that it has had, retired ones included'),
          newest_at: Time.nullable().describe('when its newest entry was written'),
        }),
      )
      .max(10_000)
      .describe('the hash chains'),
    entries: count('of all chains'),
    retired: z
      .object({
        entries: count('that were dropped, as signed statements say'),
        months: z
          .array(z.object({ month: text(7, 'such as `2026-01`'), entries: count('that it had') }))
          .max(10_000)
          .describe('that were dropped; what an earlier version dropped is not listed'),
      })
      .describe('what `linkgate audit expire` dropped'),
    checkpoints: z
      .array(
        z.object({
          id: Id.describe('of its row'),
          kind: text(20, '`standing`, or `expiry`: months were dropped with it'),
          time: Time.describe('when it was signed'),
          key: textOrNull(64, 'thumbprint of the key that it says it is signed with'),
          valid: z.boolean().describe('whether it is a checkpoint, signed with the key in use'),
          why: textOrNull(200, 'it is not valid'),
        }),
      )
      .max(20)
      .describe('the newest, newest first'),
    checkpoint: Time.nullable().describe('when the newest valid one was signed'),
    since_checkpoint: count('entries that are newer than it, and could still be rewritten without the key'),
    key: z
      .object({
        thumbprint: Thumbprint,
        jwk: z
          .object({
            kty: text(2, '`EC`'),
            crv: text(10, '`P-256`'),
            x: text(64, 'of the point'),
            y: text(64, 'of the point'),
          })
          .describe('the public key (RFC 7517)'),
      })
      .describe('that signs checkpoints and evidence'),
  })
  .meta({ id: 'Proof', description: 'how far the decision log is proved' })
