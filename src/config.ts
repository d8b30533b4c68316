import { availableParallelism } from 'node:os'
import { resolve } from 'node:path'

import { z } from 'zod'

import { isLoopbackOrHttps } from './domain/issuer-url.js'
import { StartError } from './domain/start-error.js'

/** Whose pages may call the service from a browser: those of exact origins, or `any`. */
export type CorsOrigins = readonly string[] | 'any'

/** Requests in a span of seconds; undefined where the limit is off. */
export type Quota = { readonly points: number; readonly seconds: number } | undefined

const httpUrl = z.url({ protocol: /^https?$/, error: 'must be an http or https URL' })
const postgresUrl = z.url({ protocol: /^postgres(ql)?$/, error: 'must be a postgres:// URL' })
const integer = (from: number, to: number) =>
  z
    .string()
    .regex(/^\d{1,9}$/, `must be an integer from ${from} to ${to}`)
    .transform(Number)
    .refine((value) => value >= from && value <= to, `must be an integer from ${from} to ${to}`)

/** Keys that came over plain http could be anybody's: only this machine is asked that way. */
const issuerUrl = httpUrl.refine(
  (text) => isLoopbackOrHttps(text) && !/[?#]/.test(text),
  'must be an https URL (http on loopback alone), without query, fragment or credentials',
)

const algorithms = z.string().transform((text, context): readonly string[] => {
  const names = [...new Set(text.split(/[\s,]+/).filter((name) => name !== ''))]
  if (names.length > 0 && names.every((name) => ASYMMETRIC.test(name))) return names
  context.addIssue({
    code: 'custom',
    message:
      'must be of RS, PS or ES with 256, 384 or 512, such as "RS256 ES256"; symmetric ones and none are not supported',
  })
  return z.NEVER
})
const ASYMMETRIC = /^(?:RS|PS|ES)(?:256|384|512)$/

const quota = z.string().transform((text, context): Quota => {
  if (text === 'off') return undefined
  const [, points, seconds] = /^([1-9]\d{0,6})\/([1-9]\d{0,5})$/.exec(text) ?? []
  if (points === undefined || seconds === undefined) {
    context.addIssue({ code: 'custom', message: 'must be REQUESTS/SECONDS, such as 60/60, or off' })
    return z.NEVER
  }
  return { points: Number(points), seconds: Number(seconds) }
})

/** Compared with a browser's `Origin` exactly, so it has to be written as browsers write it. */
const corsOrigins = z.string().transform((text, context): CorsOrigins => {
  const origins = [...new Set(text.split(/[\s,]+/).filter((origin) => origin !== ''))]
  if (origins.length === 1 && origins[0] === '*') return 'any'
  if (
    origins.every(
      (origin) =>
        URL.canParse(origin) && new URL(origin).origin === origin && isLoopbackOrHttps(origin) && !origin.includes('*'),
    )
  )
    return origins
  context.addIssue({
    code: 'custom',
    message: 'must be origins as browsers send them, such as https://app.example (http on loopback alone), or *',
  })
  return z.NEVER
})

const Settings = z.object({
  HOST: z.string().min(1).default('127.0.0.1'),
  PORT: integer(0, 65_535).prefault('3000'),
  BASE_URL: httpUrl
    .refine((url) => {
      if (!URL.canParse(url)) return false
      const { pathname, search, hash, username } = new URL(url)
      return pathname === '/' && !search && !hash && !username
    }, 'must be an origin, without path, query or credentials')
    .transform((url) => new URL(url).origin)
    .optional(),
  DATA_DIR: z
    .string()
    .min(1)
    .default('./data')
    .transform((path) => resolve(path)),
  DATABASE_URL: postgresUrl.optional(),
  MIGRATION_DATABASE_URL: postgresUrl.optional(),
  DATABASE_LISTEN_URL: postgresUrl.optional(),
  DATABASE_REPLICA_URL: postgresUrl.optional(),
  DATABASE_POOLER: z.enum(['none', 'transaction'], { error: 'must be none or transaction' }).default('none'),
  DATABASE_POOL_SIZE: integer(1, 1_000).prefault('10'),
  REDIRECT_CACHE_SIZE: integer(0, 10_000_000).prefault('50000'),
  REDIS_URL: z.url({ protocol: /^rediss?$/, error: 'must be a redis:// URL' }).optional(),
  SMTP_URL: z.url({ protocol: /^smtps?$/, error: 'must be an smtp:// or smtps:// URL' }).optional(),
  MAIL_FROM: z.string().min(3).max(254).optional(),
  JWT_ISSUER: issuerUrl.optional(),
  JWKS_URI: issuerUrl.optional(),
  JWT_ALGORITHMS: algorithms.prefault('RS256 ES256'),
  JWT_UNKNOWN_SUBJECTS: z.enum(['refuse', 'viewer'], { error: 'must be refuse or viewer' }).default('refuse'),
  JWT_AUDIENCE: z.string().min(1).max(255).optional(),
  JWT_SIGNING_KEY_FILE: z
    .string()
    .min(1)
    .transform((path) => resolve(path))
    .optional(),
  RATE_LIMIT_ANONYMOUS: quota.prefault('60/60'),
  RATE_LIMIT_USER: quota.prefault('600/60'),
  RATE_LIMIT_SIGN_IN: quota.prefault('5/60'),
  RATE_LIMIT_INVITE: quota.prefault('30/3600'),
  CORS_ORIGINS: corsOrigins.prefault(''),
  TRUSTED_PROXY_HOPS: integer(0, 10).prefault('0'),
  WORKERS: z
    .union([z.literal('auto').transform(() => availableParallelism()), integer(1, 256)], {
      error: 'must be an integer from 1 to 256, or auto',
    })
    .prefault('1'),
  AUDIT_PUBLIC_READS: z.enum(['off', 'on'], { error: 'must be on or off' }).default('off'),
  MAX_CONNECTIONS: integer(1, 1_000_000).prefault('10000'),
  DRAIN_MS: integer(0, 60_000).prefault('500'),
  REQUEST_DEADLINE_MS: integer(100, 120_000).prefault('5000'),
  METRICS_HOST: z.string().min(1).optional(),
  METRICS_PORT: integer(0, 65_535).optional(),
  OTEL_SDK_DISABLED: z.string().optional(),
  OTEL_TRACES_EXPORTER: z.enum(['otlp', 'none'], { error: 'must be otlp or none' }).optional(),
  OTEL_EXPORTER_OTLP_PROTOCOL: z.literal('http/json', { error: 'must be http/json' }).optional(),
  OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: z.literal('http/json', { error: 'must be http/json' }).optional(),
  OTEL_EXPORTER_OTLP_ENDPOINT: httpUrl.optional(),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: httpUrl.optional(),
  OTEL_SERVICE_NAME: z.string().min(1).max(255).default('linkgate'),
  LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']).default('info'),
})

/** Settings that say more of a database of one's own. */
const WITH_DATABASE = [
  'MIGRATION_DATABASE_URL',
  'DATABASE_LISTEN_URL',
  'DATABASE_REPLICA_URL',
  'DATABASE_POOLER',
] as const

/** The names of all settings. */
export const SETTING_NAMES: readonly string[] = Object.keys(Settings.shape)

/** Settings that say how an external issuer is used: without one they would be ignored. */
const WITH_ISSUER = ['JWKS_URI', 'JWT_ALGORITHMS', 'JWT_UNKNOWN_SUBJECTS'] as const

/** An OpenID Connect issuer whose access tokens are accepted instead of the own ones (docs/decisions/0007). */
export interface ExternalIssuer {
  /** `iss`, compared exactly */
  readonly name: string
  /** where its keys are; undefined: where its discovery document says */
  readonly jwksUri: string | undefined
  readonly algorithms: readonly string[]
  readonly audience: string
  /** what becomes of a subject that no user is linked to */
  readonly unknownSubjects: 'refuse' | 'viewer'
}

/** What the program runs with: read once, checked whole, frozen. */
export interface Config {
  readonly host: string
  readonly port: number
  /**
   * public origin without a trailing slash; undefined until the port is known where PORT is 0 and BASE_URL is not set
   */
  readonly baseUrl: string | undefined
  readonly dataDir: string
  /** undefined: the embedded database */
  readonly databaseUrl: string | undefined
  readonly migrationDatabaseUrl: string | undefined
  /** past a pooler, for the one connection that listens; undefined: as databaseUrl */
  readonly listenDatabaseUrl: string | undefined
  /** a streaming replica for public redirects; undefined: the primary answers them */
  readonly replicaDatabaseUrl: string | undefined
  /** true where a pooler in transaction mode stands in front of the database: nothing of ours may live in a session */
  readonly databasePooled: boolean
  readonly databasePoolSize: number
  /** links that are remembered for public redirects; 0: none */
  readonly redirectCacheSize: number
  readonly redisUrl: string | undefined
  /**
   * the server that invitations are sent through, and the address that they come from; undefined: they are only
   * answered
   */
  readonly smtp: { readonly url: string; readonly from: string } | undefined
  readonly jwtAudience: string | undefined
  /** undefined: the own issuer */
  readonly externalIssuer: ExternalIssuer | undefined
  readonly signingKeyFile: string
  readonly quotas: { readonly anonymous: Quota; readonly user: Quota; readonly sign_in: Quota; readonly invite: Quota }
  /** whose pages may call the service from a browser; empty: nobody's */
  readonly corsOrigins: CorsOrigins
  readonly trustedProxyHops: number
  /** whether the decision log holds allowed public reads, too */
  readonly auditPublicReads: boolean
  /** processes that answer requests */
  readonly workers: number
  /** connections of clients that a process holds at once; others are closed as they come */
  readonly maxConnections: number
  readonly requestDeadlineMs: number
  /** how long it goes on taking connections after it was told to stop, in milliseconds; /readyz says 503 meanwhile */
  readonly drainMs: number
  /** where `/metrics` is served apart from everything else; undefined: beside it, on the loopback interface alone */
  readonly metrics: { readonly host: string; readonly port: number } | undefined
  /** where spans are sent; undefined: no request is traced */
  readonly tracing: { readonly endpoint: string; readonly serviceName: string } | undefined
  readonly logLevel: z.infer<typeof Settings>['LOG_LEVEL']
}

/** Where the package's own files stand (model.conf, policies/, migrations/), seen from src/ and from dist/ alike. */
export const PACKAGE_ROOT = new URL('../', import.meta.url)

/**
 * Reads the settings from an environment. Throws one StartError that lists every fault, each with the name of the
 * setting. An empty value counts as not set.
 */
export const readConfig = (environment: Readonly<Record<string, string | undefined>> = process.env): Config => {
  const given = Object.fromEntries(
    Object.entries(environment).filter(([, value]) => value !== undefined && value !== ''),
  )
  const parsed = Settings.safeParse(given)
  if (!parsed.success) {
    throw new StartError(parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`).join('; '))
  }
  const settings = parsed.data
  const alone = settings.DATABASE_URL === undefined ? WITH_DATABASE.filter((name) => given[name] !== undefined) : []
  if (alone.length > 0)
    throw new StartError(alone.map((name) => `${name}: has no meaning without DATABASE_URL`).join('; '))
  requireWholeIssuer(given)
  requirePortOfItsOwn(settings)
  const host = settings.HOST.includes(':') ? `[${settings.HOST}]` : settings.HOST
  return Object.freeze({
    host: settings.HOST,
    port: settings.PORT,
    baseUrl: settings.BASE_URL ?? (settings.PORT === 0 ? undefined : `http://${host}:${settings.PORT}`),
    dataDir: settings.DATA_DIR,
    databaseUrl: settings.DATABASE_URL,
    migrationDatabaseUrl: settings.MIGRATION_DATABASE_URL ?? settings.DATABASE_URL,
    listenDatabaseUrl: settings.DATABASE_LISTEN_URL,
    replicaDatabaseUrl: settings.DATABASE_REPLICA_URL,
    databasePooled: settings.DATABASE_POOLER === 'transaction',
    databasePoolSize: settings.DATABASE_POOL_SIZE,
    redirectCacheSize: settings.REDIRECT_CACHE_SIZE,
    redisUrl: settings.REDIS_URL,
    smtp:
      settings.SMTP_URL === undefined
        ? undefined
        : {
            url: settings.SMTP_URL,
            from: settings.MAIL_FROM ?? `linkgate@${new URL(settings.BASE_URL ?? 'http://localhost').hostname}`,
          },
    jwtAudience: settings.JWT_AUDIENCE,
    externalIssuer: externalIssuerOf(settings),
    signingKeyFile: settings.JWT_SIGNING_KEY_FILE ?? resolve(settings.DATA_DIR, 'signing-key.pem'),
    quotas: Object.freeze({
      anonymous: settings.RATE_LIMIT_ANONYMOUS,
      user: settings.RATE_LIMIT_USER,
      sign_in: settings.RATE_LIMIT_SIGN_IN,
      invite: settings.RATE_LIMIT_INVITE,
    }),
    corsOrigins: settings.CORS_ORIGINS,
    trustedProxyHops: settings.TRUSTED_PROXY_HOPS,
    auditPublicReads: settings.AUDIT_PUBLIC_READS === 'on',
    workers: settings.WORKERS,
    maxConnections: settings.MAX_CONNECTIONS,
    requestDeadlineMs: settings.REQUEST_DEADLINE_MS,
    drainMs: settings.DRAIN_MS,
    metrics:
      settings.METRICS_PORT === undefined
        ? undefined
        : Object.freeze({ host: settings.METRICS_HOST ?? '127.0.0.1', port: settings.METRICS_PORT }),
    tracing: tracingOf(settings),
    logLevel: settings.LOG_LEVEL,
  })
}

const externalIssuerOf = ({
  JWT_ISSUER: name,
  JWT_AUDIENCE: audience,
  JWKS_URI: jwksUri,
  JWT_ALGORITHMS,
  JWT_UNKNOWN_SUBJECTS,
}: z.infer<typeof Settings>): ExternalIssuer | undefined =>
  name === undefined || audience === undefined
    ? undefined
    : Object.freeze({
        name,
        jwksUri,
        audience,
        algorithms: Object.freeze([...JWT_ALGORITHMS]),
        unknownSubjects: JWT_UNKNOWN_SUBJECTS,
      })

/**
 * OpenTelemetry's own variables. Tracing is on where one of them says where to, or that, spans are sent. The signal's
 * own endpoint is used as it is; the general one is a base.
 */
const tracingOf = (settings: z.infer<typeof Settings>): Config['tracing'] => {
  const {
    OTEL_EXPORTER_OTLP_ENDPOINT: base,
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: own,
    OTEL_TRACES_EXPORTER: exporter,
  } = settings
  const asked = exporter === 'otlp' || (exporter === undefined && (base ?? own) !== undefined)
  if (!asked || settings.OTEL_SDK_DISABLED?.toLowerCase() === 'true') return undefined
  return Object.freeze({
    endpoint: own ?? `${(base ?? 'http://localhost:4318').replace(/\/$/, '')}/v1/traces`,
    serviceName: settings.OTEL_SERVICE_NAME,
  })
}

/** Throws StartError where the metrics have no port of their own, or one that is the service's. */
const requirePortOfItsOwn = ({ PORT, METRICS_PORT, METRICS_HOST }: z.infer<typeof Settings>): void => {
  if (METRICS_PORT === undefined && METRICS_HOST !== undefined)
    throw new StartError('METRICS_HOST: has no meaning without METRICS_PORT')
  if (METRICS_PORT !== undefined && METRICS_PORT !== 0 && METRICS_PORT === PORT)
    throw new StartError('METRICS_PORT: must be another port than PORT')
}

/** Throws StartError where settings of an external issuer and of the own one meet, or one lacks the other. */
const requireWholeIssuer = (given: Readonly<Record<string, string | undefined>>): void => {
  const faults =
    given['JWT_ISSUER'] === undefined
      ? WITH_ISSUER.filter((name) => given[name] !== undefined).map(
          (name) => `${name}: has no meaning without JWT_ISSUER`,
        )
      : [
          // without it, a token that the issuer made for any other service would be good here
          ...(given['JWT_AUDIENCE'] === undefined ? ['JWT_AUDIENCE: is required with JWT_ISSUER'] : []),
          ...(given['JWT_SIGNING_KEY_FILE'] === undefined
            ? []
            : ['JWT_SIGNING_KEY_FILE: has no meaning with JWT_ISSUER, whose keys sign the tokens']),
        ]
  if (faults.length > 0) throw new StartError(faults.join('; '))
}
