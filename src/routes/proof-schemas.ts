import { z } from 'zod'

import { Id, MomentInUtc, Time, count, endsAfter, text, textOrNull } from './schemas.js'

export const EvidenceQuery = z
  .strictObject({
    from: MomentInUtc.refine((time) => Date.parse(time) < Date.now(), 'must be in the past')
      .optional()
      .describe(
        'entries from this time, or from the start of this day (UTC), on; default: from the beginning of the log',
      ),
    to: MomentInUtc.optional().describe('entries before this time, or the start of this day (UTC); default: now'),
  })
  .check(endsAfter('from', 'to'))

const Thumbprint = text(64, 'thumbprint of a key (RFC 7638)')

export const ProofView = z
  .object({
    chains: z
      .array(
        z.object({
          chain: text(10, 'number of the chain'),
          entries: count('entries so far, including retired ones'),
          newest_at: Time.nullable().describe('when its newest entry was written'),
        }),
      )
      .max(10_000)
      .describe('the hash chains'),
    entries: count('entries of all chains'),
    retired: z
      .object({
        entries: count('dropped entries, according to signed statements'),
        months: z
          .array(z.object({ month: text(7, 'such as `2026-01`'), entries: count('entries of the month') }))
          .max(10_000)
          .describe('dropped months; those dropped by earlier versions are not listed'),
      })
      .describe('what `linkgate audit expire` dropped'),
    checkpoints: z
      .array(
        z.object({
          id: Id.describe('id of its row'),
          kind: text(20, '`standing`, or `expiry` if months were dropped with it'),
          time: Time.describe('when it was signed'),
          key: textOrNull(64, 'thumbprint of the key that it names as its signer'),
          valid: z.boolean().describe('whether it is a checkpoint, signed with the key in use'),
          why: textOrNull(200, 'why it is not valid'),
        }),
      )
      .max(20)
      .describe('the newest ones, newest first'),
    checkpoint: Time.nullable().describe('when the newest valid one was signed'),
    since_checkpoint: count('entries newer than that checkpoint, which could still be rewritten without the key'),
    key: z
      .object({
        thumbprint: Thumbprint,
        jwk: z
          .object({
            kty: text(2, '`EC`'),
            crv: text(10, '`P-256`'),
            x: text(64, 'coordinate of the point'),
            y: text(64, 'coordinate of the point'),
          })
          .describe('the public key (RFC 7517)'),
      })
      .describe('the key that signs checkpoints and evidence'),
  })
  .meta({ id: 'Proof', description: 'how far the decision log is proved' })
