import { availableParallelism } from 'node:os'
import { resolve } from 'node:path'
import { isatty } from 'node:tty'

import { closestMatch } from 'leven'
import { z } from 'zod'

import { isEveryAddress } from './domain/every-address.js'
import { isLoopbackOrHttps, parseUrl } from './domain/url.js'
import type { Quota } from './domain/quota.js'
import { StartError } from './domain/start-error.js'
import { isEmail } from './domain/user.js'
import { faultMessage } from './input/fault-message.js'

/** The folder of the package's own files (model.conf, policies/, migrations/), the same from src/ and from dist/. */
export const PACKAGE_ROOT = new URL('../', import.meta.url)

/** The origins whose pages may call the service from a browser, or `any`. */
export type CorsOrigins = readonly string[] | 'any'

const url = (protocol: RegExp, name: string) => z.url({ protocol, abort: true, error: `must be ${name} URL` })
const httpUrl = url(/^https?$/, 'an http or https')
const postgresUrl = url(/^postgres(ql)?$/, 'a postgres://')

const oneOf = <const Names extends readonly [string, string]>(...names: Names) =>
  z.enum(names, { error: `must be ${names.join(' or ')}` })

const httpJson = z.literal('http/json', { error: 'must be http/json' })

const path = z
  .string()
  .min(1)
  .transform((text) => resolve(text))

const integer = (from: number, to: number) => {
  const error = `must be an integer from ${from} to ${to}`
  return z
    .string()
    .regex(/^\d{1,9}$/, error)
    .transform(Number)
    .refine((value) => value >= from && value <= to, error)
}

/** Separated by spaces or commas, without duplicates. */
const list = z.string().transform((text): readonly string[] => [...new Set(text.split(/[\s,]+/).filter(Boolean))])

/** Over plain http, anybody on the way could replace the keys. */
const issuerUrl = httpUrl.refine(
  (text) => isLoopbackOrHttps(text) && !/[?#]/.test(text),
  'must be an https URL (http on loopback only), without query, fragment or credentials',
)

const algorithms = list.refine(
  (names) => names.length > 0 && names.every((name) => /^(?:RS|PS|ES)(?:256|384|512)$/.test(name)),
  'must be RS, PS or ES with 256, 384 or 512, such as "RS256 ES256"; symmetric algorithms and none are not supported',
)

/** undefined: the limit is off */
const quota = z
  .string()
  .regex(/^(?:off|[1-9]\d{0,6}\/[1-9]\d{0,5})$/, 'must be REQUESTS/SECONDS, such as 60/60, or off')
  .transform((text): Quota | undefined => {
    const [points, seconds] = text.split('/')
    return seconds === undefined ? undefined : { points: Number(points), seconds: Number(seconds) }
  })

/** Compared exactly with a browser's `Origin`, so it must be written as browsers write it. */
const isOrigin = (text: string): boolean =>
  parseUrl(text)?.origin === text && isLoopbackOrHttps(text) && !text.includes('*')

const corsOrigins = list
  .refine(
    (origins) => origins.every(isOrigin) || origins.join() === '*',
    'must be origins as browsers send them, such as https://app.example (http on loopback only), or *',
  )
  .transform((origins): CorsOrigins => (origins[0] === '*' ? 'any' : origins))

/** An address, or a name and an address (RFC 5322 §3.4), on one line. */
const isSender = (text: string): boolean =>
  isEmail(text) || isEmail(/^[^<>\p{Cc}]{1,100}<([^<>]+)>$/u.exec(text)?.[1] ?? '')

const MOST_WORKERS = 256

const DEFAULT_DATA_DIR = './data'

/** The data folder if no setting names one; it depends on the current folder. */
export const defaultDataDir = (): string => resolve(DEFAULT_DATA_DIR)

const Settings = z.object({
  HOST: z.string().min(1).default('127.0.0.1'),
  PORT: integer(0, 65_535).default(3_000),
  BASE_URL: httpUrl
    .refine((text) => {
      const url = parseUrl(text)
      if (url === null) return false
      const { pathname, search, hash, username, password } = url
      return pathname === '/' && !search && !hash && !username && !password
    }, 'must be an origin, without path, query or credentials')
    .transform((text) => new URL(text).origin)
    .optional(),
  DATA_DIR: path.prefault(DEFAULT_DATA_DIR),
  DATABASE_URL: postgresUrl.optional(),
  MIGRATION_DATABASE_URL: postgresUrl.optional(),
  DATABASE_LISTEN_URL: postgresUrl.optional(),
  DATABASE_REPLICA_URL: postgresUrl.optional(),
  DATABASE_POOLER: oneOf('none', 'transaction').default('none'),
  DATABASE_POOL_SIZE: integer(1, 1_000).default(10),
  REDIRECT_CACHE_SIZE: integer(0, 10_000_000).default(50_000),
  REDIRECT_OUTAGE_SECONDS: integer(2, 86_400).default(120),
  REDIS_URL: url(/^rediss?$/, 'a redis://').optional(),
  SMTP_URL: url(/^smtps?$/, 'an smtp:// or smtps://').optional(),
  MAIL_FROM: z
    .string()
    .refine(isSender, 'must be an address such as links@example.com, or Links <links@example.com>')
    .optional(),
  JWT_ISSUER: issuerUrl.optional(),
  JWKS_URI: issuerUrl.optional(),
  JWT_ALGORITHMS: algorithms.prefault('RS256 ES256'),
  JWT_UNKNOWN_SUBJECTS: oneOf('refuse', 'viewer').default('refuse'),
  CONSOLE_CLIENT_ID: z.string().min(1).max(255).optional(),
  JWT_AUDIENCE: z.string().min(1).max(255).optional(),
  JWT_SIGNING_KEY_FILE: path.optional(),
  RATE_LIMIT_ANONYMOUS: quota.prefault('60/60'),
  RATE_LIMIT_USER: quota.prefault('600/60'),
  RATE_LIMIT_SIGN_IN: quota.prefault('5/60'),
  RATE_LIMIT_INVITE: quota.prefault('30/3600'),
  RATE_LIMIT_LINK_PASSWORD: quota.prefault('5/60'),
  CORS_ORIGINS: corsOrigins.prefault(''),
  TRUSTED_PROXY_HOPS: integer(0, 10).default(0),
  WORKERS: z
    .string()
    .regex(/^(?:auto|[1-9]\d{0,2})$/, 'must be an integer from 1 to 256, or auto')
    .transform((text) => (text === 'auto' ? Math.min(availableParallelism(), MOST_WORKERS) : Number(text)))
    .refine((workers) => workers <= MOST_WORKERS, 'must be an integer from 1 to 256, or auto')
    .default(1),
  TRASH_DAYS: integer(0, 3_650).default(30),
  VISITS: oneOf('on', 'off').default('on'),
  VISIT_DAYS: integer(0, 3_650).default(90),
  GEOIP_DATABASE: path.optional(),
  COUNTRY_HEADER: z
    .string()
    .regex(/^[A-Za-z0-9-]{1,64}$/, 'must be the name of a header, such as CF-IPCountry')
    .transform((name) => name.toLowerCase())
    .optional(),
  POLICY_APPROVALS: oneOf('0', '1').default('0'),
  AUDIT_PUBLIC_READS: oneOf('on', 'off').default('off'),
  MAX_CONNECTIONS: integer(1, 1_000_000).default(10_000),
  DRAIN_MS: integer(0, 60_000).default(500),
  REQUEST_DEADLINE_MS: integer(100, 120_000).default(5_000),
  METRICS_HOST: z.string().min(1).default('127.0.0.1'),
  METRICS_PORT: integer(0, 65_535).optional(),
  OTEL_SDK_DISABLED: z.string().optional(),
  OTEL_TRACES_EXPORTER: oneOf('otlp', 'none').optional(),
  OTEL_EXPORTER_OTLP_PROTOCOL: httpJson.optional(),
  OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: httpJson.optional(),
  OTEL_EXPORTER_OTLP_ENDPOINT: httpUrl.optional(),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: httpUrl.optional(),
  OTEL_SERVICE_NAME: z.string().min(1).max(255).default('linkgate'),
  LOG_FORMAT: oneOf('json', 'text').optional(),
  LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']).optional(),
})

export const SETTING_NAMES: readonly string[] = Object.keys(Settings.shape)

/** Settings that only refine another one, and have no effect without it. */
const QUALIFIERS = {
  DATABASE_URL: ['MIGRATION_DATABASE_URL', 'DATABASE_LISTEN_URL', 'DATABASE_REPLICA_URL', 'DATABASE_POOLER'],
  SMTP_URL: ['MAIL_FROM'],
  JWT_ISSUER: ['JWKS_URI', 'JWT_ALGORITHMS', 'JWT_UNKNOWN_SUBJECTS', 'CONSOLE_CLIENT_ID'],
  METRICS_PORT: ['METRICS_HOST'],
} as const

const STANDARD_OUTPUT = 1

type Environment = Readonly<Record<string, string | undefined>>

/** Faults of settings that are valid alone, but not together. */
const conflictsOf = (given: Environment): readonly string[] => {
  const faults = Object.entries(QUALIFIERS).flatMap(([main, names]) =>
    given[main] ? [] : names.filter((name) => given[name]).map((name) => `${name}: has no effect without ${main}`),
  )
  // Otherwise a token that the issuer made for any other service would be accepted.
  if (given['JWT_ISSUER'] && !given['JWT_AUDIENCE']) faults.push('JWT_AUDIENCE: is required with JWT_ISSUER')
  if (given['COUNTRY_HEADER'] && !(Number(given['TRUSTED_PROXY_HOPS']) > 0))
    faults.push('COUNTRY_HEADER: has no effect without TRUSTED_PROXY_HOPS; anybody could send the header')
  if (given['COUNTRY_HEADER'] && given['GEOIP_DATABASE'])
    faults.push('GEOIP_DATABASE: has no effect with COUNTRY_HEADER, which names the country instead')
  return faults
}

/** A host as URLs write it: an IPv6 address in brackets. */
const hostIn = (host: string): string => (host.includes(':') ? `[${host}]` : host)

/**
 * Reads the settings of an environment; an empty value counts as absent. Throws one StartError that lists every fault
 * with the name of its setting. `isTerminal`: whether standard output is one.
 */
export const readConfig = (environment: Environment = process.env, isTerminal = isatty(STANDARD_OUTPUT)) => {
  const given = Object.fromEntries(Object.entries(environment).filter(([, value]) => value))
  const { data: settings, error } = Settings.safeParse(given, { error: faultMessage })
  const faults = [
    ...(error?.issues ?? []).map((issue) => `${issue.path.join('.')}: ${issue.message}`),
    ...conflictsOf(given),
  ]
  // Port 0 picks a free port, so both may be 0.
  if (settings?.METRICS_PORT && settings.METRICS_PORT === settings.PORT)
    faults.push('METRICS_PORT: must be another port than PORT')
  if (settings && settings.BASE_URL === undefined && parseUrl(`http://${hostIn(settings.HOST)}`) === null)
    faults.push('HOST: needs BASE_URL beside it, because no URL can name it')
  if (settings === undefined || faults.length > 0) throw new StartError(faults.join('; '))

  const { HOST: host, PORT: port, BASE_URL: baseUrl, DATABASE_URL: databaseUrl } = settings
  const hostname = hostIn(host)
  const origin = `http://${hostname}:${port}`
  const { JWT_ISSUER: issuer, JWT_AUDIENCE: jwtAudience } = settings
  const { SMTP_URL: smtpUrl, METRICS_HOST: metricsHost, METRICS_PORT: metricsPort } = settings
  const logFormat = settings.LOG_FORMAT ?? (isTerminal ? 'text' : 'json')
  return Object.freeze({
    host,
    /** the host as written in URLs: an IPv6 address in brackets */
    hostname,
    port,
    /** the public origin; undefined if PORT is 0 and BASE_URL is not set, until the port is known */
    baseUrl: baseUrl ?? (port === 0 ? undefined : origin),
    dataDir: settings.DATA_DIR,
    /** undefined: the embedded database */
    databaseUrl,
    migrationDatabaseUrl: settings.MIGRATION_DATABASE_URL ?? databaseUrl,
    /** bypasses a pooler, for the one connection that listens; undefined: databaseUrl */
    listenDatabaseUrl: settings.DATABASE_LISTEN_URL,
    /** a streaming replica for public redirects; undefined: the primary */
    replicaDatabaseUrl: settings.DATABASE_REPLICA_URL,
    /** true behind a pooler in transaction mode: sessions cannot keep state */
    databasePooled: settings.DATABASE_POOLER === 'transaction',
    databasePoolSize: settings.DATABASE_POOL_SIZE,
    /** how many links a process caches for public redirects */
    redirectCacheSize: settings.REDIRECT_CACHE_SIZE,
    /** how long cached links are followed while the database is down */
    redirectOutageSeconds: settings.REDIRECT_OUTAGE_SECONDS,
    redisUrl: settings.REDIS_URL,
    /** the mail server and the sender; undefined: no mail is sent */
    smtp:
      smtpUrl === undefined
        ? undefined
        : { url: smtpUrl, from: settings.MAIL_FROM ?? `linkgate@${new URL(baseUrl ?? 'http://localhost').hostname}` },
    jwtAudience,
    /** an OpenID Connect issuer that replaces the own one (docs/decisions/0007) */
    externalIssuer:
      issuer === undefined || jwtAudience === undefined
        ? undefined
        : Object.freeze({
            /** `iss`, compared exactly */
            name: issuer,
            audience: jwtAudience,
            /** undefined: taken from its discovery document */
            jwksUri: settings.JWKS_URI,
            algorithms: settings.JWT_ALGORITHMS,
            /** what happens to a subject without a linked user */
            unknownSubjects: settings.JWT_UNKNOWN_SUBJECTS,
            /** the console's client id at the issuer; undefined: no browser sign-in */
            consoleClientId: settings.CONSOLE_CLIENT_ID,
          }),
    /** true if the operator named the file, so it has to exist; the key signs the decision log with any issuer */
    signingKeyNamed: settings.JWT_SIGNING_KEY_FILE !== undefined,
    signingKeyFile: settings.JWT_SIGNING_KEY_FILE ?? resolve(settings.DATA_DIR, 'signing-key.pem'),
    quotas: Object.freeze({
      anonymous: settings.RATE_LIMIT_ANONYMOUS,
      user: settings.RATE_LIMIT_USER,
      sign_in: settings.RATE_LIMIT_SIGN_IN,
      invite: settings.RATE_LIMIT_INVITE,
      link_password: settings.RATE_LIMIT_LINK_PASSWORD,
      // from all addresses together
      link_passwords: settings.RATE_LIMIT_LINK_PASSWORD && { points: 60, seconds: 60 },
    }),
    corsOrigins: settings.CORS_ORIGINS,
    trustedProxyHops: settings.TRUSTED_PROXY_HOPS,
    /** how long deleted links can be restored; 0: not at all */
    trashDays: settings.TRASH_DAYS,
    /** whether visits of links are counted */
    countsVisits: settings.VISITS === 'on',
    /** how long single visits are kept; 0: not at all */
    visitDays: settings.VISIT_DAYS,
    geoipDatabase: settings.GEOIP_DATABASE,
    /** the country header of a trusted proxy, in lower case */
    countryHeader: settings.COUNTRY_HEADER,
    /** whether an edit of the policy needs somebody else's approval */
    policyApprovals: settings.POLICY_APPROVALS === '1',
    auditPublicReads: settings.AUDIT_PUBLIC_READS === 'on',
    /** processes that answer requests */
    workers: settings.WORKERS,
    /** client connections per process; more are closed at once */
    maxConnections: settings.MAX_CONNECTIONS,
    requestDeadlineMs: settings.REQUEST_DEADLINE_MS,
    /** how long it accepts connections after SIGTERM, while /readyz reports 503 */
    drainMs: settings.DRAIN_MS,
    /** the separate server of `/metrics`; undefined: together with everything else, for loopback clients only */
    metrics: metricsPort === undefined ? undefined : Object.freeze({ host: metricsHost, port: metricsPort }),
    /** where spans are sent; undefined: no tracing */
    tracing: tracingOf(settings),
    logFormat,
    /** people who read text get no line per request, unless they ask for it */
    logLevel: settings.LOG_LEVEL ?? (logFormat === 'text' ? 'warn' : 'info'),
    /** true if a person reads the start's output: standard output is a terminal, without LOG_FORMAT=json */
    speaksToPerson: isTerminal && logFormat === 'text',
  })
}

/** The validated, frozen settings. */
export type Config = ReturnType<typeof readConfig>

export type ExternalIssuer = NonNullable<Config['externalIssuer']>

/** OpenTelemetry's own variables: the endpoint for traces is used as it is; the general one is a base URL. */
const tracingOf = (settings: z.infer<typeof Settings>) => {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: base, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: own } = settings
  const exporter = settings.OTEL_TRACES_EXPORTER ?? ((base ?? own) === undefined ? 'none' : 'otlp')
  if (exporter === 'none' || settings.OTEL_SDK_DISABLED?.toLowerCase() === 'true') return undefined
  const endpoint = own ?? `${(base ?? 'http://localhost:4318').replace(/\/$/, '')}/v1/traces`
  const endpoints = ['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', 'OTEL_EXPORTER_OTLP_ENDPOINT'] as const
  return Object.freeze({
    /** the setting that turns it on */
    setting: endpoints.find((name) => settings[name] !== undefined) ?? 'OTEL_TRACES_EXPORTER',
    endpoint,
    serviceName: settings.OTEL_SERVICE_NAME,
  })
}

// Short names are close to too many others.
const RECOGNISABLE_NAMES = SETTING_NAMES.filter((name) => name.length >= 5)
/** Variables of cron and web frameworks that resemble one of ours. */
const FOREIGN_NAMES: ReadonlySet<string> = new Set(['MAILFROM', 'SITE_URL'])

/** One line for each setting that probably does not do what was meant. */
export const settingWarnings = (environment: Environment = process.env): readonly string[] => [
  ...misspeltSettings(environment),
  ...unreachableHost(environment),
]

const misspeltSettings = (environment: Environment): readonly string[] =>
  Object.keys(environment).flatMap((name) => {
    if (SETTING_NAMES.includes(name) || FOREIGN_NAMES.has(name)) return []
    const near = closestMatch(name, RECOGNISABLE_NAMES, { maxDistance: 2 })
    return near === undefined ? [] : [`${name} is not a setting and is ignored; did you mean ${near}?`]
  })

const unreachableHost = ({ HOST: host = '', BASE_URL: baseUrl }: Environment): readonly string[] =>
  isEveryAddress(host) && !baseUrl
    ? [`HOST=${host} is no address that a browser can open: set BASE_URL to the URL at which people reach the service`]
    : []
