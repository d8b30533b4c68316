import { z } from 'zod'

import type { QuotaName } from '../layers/1-gateway/rate-limit.js'
import { QUOTA_NAMES } from '../layers/1-gateway/rate-limit.js'

/** What one process counted: prom-client's own JSON, which its aggregation takes back. */
export type Measurements = readonly Measurement[]
export interface Measurement {
  readonly name: string
  readonly type: unknown
}

const measurements = z.array(
  z.custom<Measurement>((value) => typeof value === 'object' && value !== null && 'name' in value && 'type' in value),
)
const id = z.int().nonnegative()

/** One request to be counted: against which quota, in which bucket. */
export type Ask = readonly [quota: QuotaName, bucket: string]

/** How to log in to the database: the embedded one has a password that stands in no setting. */
const login = z.object({
  connectionString: z.string().optional(),
  options: z.string().optional(),
  host: z.string().optional(),
  port: z.int().optional(),
  user: z.string().optional(),
  password: z.string().optional(),
  database: z.string().optional(),
  ssl: z.literal(false).optional(),
})

/** From the primary to a worker. */
const ToWorker = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('start'), database: login, port: z.int() }),
  /** `idleMs`: how long a connection that nobody uses is kept for the request that may be on its way */
  z.object({ kind: z.literal('stop'), now: z.boolean(), idleMs: z.number() }),
  z.object({ kind: z.literal('measure'), id }),
  z.object({
    kind: z.literal('counted'),
    id,
    counts: z.array(z.object({ allowed: z.boolean(), left: z.number(), resetMs: z.number() })),
  }),
  z.object({ kind: z.literal('metrics'), id, text: z.string().nullable() }),
])

/** From a worker to the primary. */
const ToPrimary = z.discriminatedUnion('kind', [
  /** it hears: what it is to do may be sent */
  z.object({ kind: z.literal('hello') }),
  z.object({
    kind: z.literal('ready'),
    url: z.url(),
    metricsUrl: z.url().optional(),
    port: z.int(),
    revision: z.number().nullable(),
  }),
  /** it cannot start; `expected` where whoever runs the service can mend it (StartError) */
  z.object({ kind: z.literal('failed'), message: z.string(), expected: z.boolean() }),
  /** its event loop turns */
  z.object({ kind: z.literal('alive') }),
  z.object({ kind: z.literal('count'), id, asks: z.array(z.tuple([z.enum(QUOTA_NAMES), z.string()])) }),
  z.object({ kind: z.literal('metrics'), id }),
  z.object({ kind: z.literal('measured'), id, measurements }),
  /** the last that it says, so that what it counted outlives it */
  z.object({ kind: z.literal('farewell'), measurements }),
])

export type ToWorker = z.infer<typeof ToWorker>
export type ToPrimary = z.infer<typeof ToPrimary>

/** Undefined for what is not ours: node talks over the same channel, and so may a worker of another version. */
export const parseToWorker = (message: unknown): ToWorker | undefined => ToWorker.safeParse(message).data
export const parseToPrimary = (message: unknown): ToPrimary | undefined => ToPrimary.safeParse(message).data
