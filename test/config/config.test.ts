import { syncBuiltinESMExports } from 'node:module'
import os from 'node:os'
import { mock } from 'node:test'

import { expect } from 'chai'

import { settingWarnings, readConfig } from '../../src/config.js'
import { StartError } from '../../src/domain/start-error.js'

describe('the settings', () => {
  it('are refused with every fault at once, also those between settings', () => {
    expect(() =>
      readConfig({ PORT: 'x', WORKERS: '0', MAIL_FROM: 'links@example.com', DATABASE_POOLER: 'transaction' }),
    ).to.throw(
      StartError,
      /^PORT: .*; WORKERS: .*; DATABASE_POOLER: .* without DATABASE_URL; MAIL_FROM: .* without SMTP_URL$/,
    )
  })

  for (const [name, value, rule] of [
    ['WORKERS', '0', 'must be an integer from 1 to 256, or auto'],
    ['WORKERS', '257', 'must be an integer from 1 to 256, or auto'],
    ['BASE_URL', 'http://:pw@go.example.com', 'must be an origin, without path, query or credentials'],
    ['HOST', '::1%lo', 'needs BASE_URL beside it, because no URL can name it'],
  ] as const) {
    it(`refuse ${name}=${value}`, () => {
      expect(() => readConfig({ [name]: value })).to.throw(StartError, `${name}: ${rule}`)
    })
  }

  it('say of what is no URL only that, once', () => {
    for (const [name, more] of [
      ['BASE_URL', {}],
      ['JWKS_URI', { JWT_ISSUER: 'https://issuer.example.com', JWT_AUDIENCE: 'links' }],
    ] as const) {
      expect(() => readConfig({ ...more, [name]: 'go.example.com' }), name).to.throw(
        StartError,
        new RegExp(`^${name}: must be an http or https URL$`),
      )
    }
  })

  for (const [name, value, main] of [
    ['MAIL_FROM', 'links@example.com', 'SMTP_URL'],
    ['METRICS_HOST', '0.0.0.0', 'METRICS_PORT'],
    ['MIGRATION_DATABASE_URL', 'postgres://owner@db.example/links', 'DATABASE_URL'],
    ['JWKS_URI', 'https://issuer.example.com/keys', 'JWT_ISSUER'],
  ] as const) {
    it(`refuse ${name} without ${main}, which it qualifies`, () => {
      expect(() => readConfig({ [name]: value })).to.throw(StartError, `${name}: has no effect without ${main}`)
    })
  }

  it('start at most 256 workers with WORKERS=auto, also on a larger machine', () => {
    for (const [processors, workers] of [
      [300, 256],
      [3, 3],
    ] as const) {
      const { mock: mocked } = mock.method(os, 'availableParallelism', () => processors)
      syncBuiltinESMExports()
      try {
        expect(readConfig({ WORKERS: 'auto' }).workers).to.equal(workers)
      } finally {
        mocked.restore()
        syncBuiltinESMExports()
      }
    }
  })

  it('refuse GEOIP_DATABASE beside COUNTRY_HEADER, which leaves it unused', () => {
    expect(() =>
      readConfig({ GEOIP_DATABASE: '/countries.mmdb', COUNTRY_HEADER: 'CF-IPCountry', TRUSTED_PROXY_HOPS: '1' }),
    ).to.throw(StartError, /^GEOIP_DATABASE: has no effect with COUNTRY_HEADER/)
  })

  it('take a sender as a mail names it: an address, or a name and an address, on one line', () => {
    const from = (MAIL_FROM: string) => readConfig({ SMTP_URL: 'smtp://127.0.0.1', MAIL_FROM }).smtp?.from
    for (const sender of ['links@example.com', 'Links <links@example.com>', 'Ödön & Co. <links@localhost>'])
      expect(from(sender)).to.equal(sender)
    for (const none of ['links', 'links@', 'Links <links>', '<a@example.com', 'a\nBcc: b@x <a@x>', 'a@x, b@x'])
      expect(() => from(none), none).to.throw(StartError, 'MAIL_FROM: must be an address')
  })

  it('have an IPv6 address in brackets where it is part of an address of the web', () => {
    expect(readConfig({ HOST: '::1' })).to.include({ host: '::1', hostname: '[::1]', baseUrl: 'http://[::1]:3000' })
    expect(readConfig({ HOST: '::1', PORT: '0' })).to.include({ hostname: '[::1]', baseUrl: undefined })
  })

  it('count an empty value as absent', () => {
    expect(readConfig({ MAIL_FROM: '', PORT: '', BASE_URL: '' })).to.deep.include({
      port: 3_000,
      baseUrl: 'http://127.0.0.1:3000',
      smtp: undefined,
    })
  })
})

describe('the settings of the log', () => {
  it('speak to people on a terminal alone: text from warnings on; and JSON from info on anywhere else', () => {
    expect(readConfig({}, true)).to.include({ logFormat: 'text', logLevel: 'warn', speaksToPerson: true })
    expect(readConfig({}, false)).to.include({ logFormat: 'json', logLevel: 'info', speaksToPerson: false })
  })

  it('are what LOG_FORMAT and LOG_LEVEL say; a terminal with JSON is one for programs', () => {
    expect(readConfig({ LOG_FORMAT: 'json' }, true)).to.include({
      logFormat: 'json',
      logLevel: 'info',
      speaksToPerson: false,
    })
    expect(readConfig({ LOG_FORMAT: 'text' }, false)).to.include({
      logFormat: 'text',
      logLevel: 'warn',
      speaksToPerson: false,
    })
    for (const isTerminal of [true, false])
      expect(readConfig({ LOG_LEVEL: 'info' }, isTerminal)).to.include({ logLevel: 'info' })
    expect(() => readConfig({ LOG_FORMAT: 'pretty' })).to.throw(StartError, 'LOG_FORMAT: must be json or text')
    expect(() => readConfig({ LOG_LEVEL: 'loud' })).to.throw(
      StartError,
      'LOG_LEVEL: must be one of trace, debug, info,',
    )
  })
})

describe('a misspelt setting', () => {
  it('is named with the setting that it is close to', () => {
    for (const [name, near] of [
      ['WORKRES', 'WORKERS'],
      ['LOGLEVEL', 'LOG_LEVEL'],
      ['DATABASE_URI', 'DATABASE_URL'],
      ['RATE_LIMIT_USERS', 'RATE_LIMIT_USER'],
    ] as const)
      expect(settingWarnings({ [name]: 'x' })).to.deep.equal([
        `${name} is not a setting and is ignored; did you mean ${near}?`,
      ])
  })

  it('is none of the variables of shells, tools and other programs', () => {
    const names = `
      PATH HOME HOST HOSTNAME PORT LOGNAME LOGDIR USER SHELL LANG TERM TMPDIR PWD EDITOR PAGER DISPLAY LS_COLORS
      CI DEBUG SSH_AUTH_SOCK XDG_DATA_DIRS XDG_DATA_HOME XDG_CACHE_HOME MAIL MAILTO MAILFROM MAILCHECK EMAIL
      NODE_ENV NODE_OPTIONS NVM_DIR npm_config_cache NO_COLOR FORCE_COLOR KUBECONFIG KUBERNETES_PORT DOCKER_HOST
      REDIS_HOST PGHOST PGPORT PGUSER DATABASE_NAME SMTP_HOST JWT_SECRET SITE_URL API_URL
      OTEL_TRACES_SAMPLER OTEL_METRICS_EXPORTER OTEL_LOGS_EXPORTER OTEL_EXPORTER_OTLP_HEADERS
      OTEL_EXPORTER_OTLP_LOGS_ENDPOINT OTEL_RESOURCE_ATTRIBUTES`
      .trim()
      .split(/\s+/)
    expect(settingWarnings(Object.fromEntries(names.map((name) => [name, 'x'])))).to.deep.equal([])
  })
})

describe('an address that stands for all of a machine', () => {
  it('is warned about without a BASE_URL, since people cannot open it', () => {
    for (const HOST of ['0.0.0.0', '::'])
      expect(settingWarnings({ HOST })).to.deep.equal([
        `HOST=${HOST} is no address that a browser can open: set BASE_URL to the URL at which people reach the service`,
      ])
    expect(settingWarnings({ HOST: '0.0.0.0', BASE_URL: 'https://link.example' })).to.deep.equal([])
    expect(settingWarnings({ HOST: '127.0.0.1' })).to.deep.equal([])
  })
})

describe('the settings of an external issuer', () => {
  const issuer = { JWT_ISSUER: 'https://issuer.example.com', JWT_AUDIENCE: 'https://links.example.com' }

  it('are absent by default', () => {
    expect(readConfig({}).externalIssuer).to.equal(undefined)
  })

  it('need an issuer and an audience; by default RS256 and ES256 are accepted, and unknown subjects refused', () => {
    expect(readConfig(issuer).externalIssuer).to.deep.equal({
      name: issuer.JWT_ISSUER,
      audience: issuer.JWT_AUDIENCE,
      jwksUri: undefined,
      algorithms: ['RS256', 'ES256'],
      unknownSubjects: 'refuse',
      consoleClientId: undefined,
    })
    expect(
      readConfig({
        ...issuer,
        JWT_ALGORITHMS: ' PS256,ES384 ',
        JWT_UNKNOWN_SUBJECTS: 'viewer',
        JWKS_URI: 'https://keys.example.com/set',
        CONSOLE_CLIENT_ID: 'the-console',
      }).externalIssuer,
    )
      .to.include({
        unknownSubjects: 'viewer',
        jwksUri: 'https://keys.example.com/set',
        consoleClientId: 'the-console',
      })
      .and.deep.include({ algorithms: ['PS256', 'ES384'] })
    for (const loopback of ['http://127.0.0.1:4000', 'http://localhost:4000/realm', 'http://[::1]:4000']) {
      expect(readConfig({ ...issuer, JWT_ISSUER: loopback }).externalIssuer).to.include({ name: loopback })
    }
  })

  it('leave the key of the decision log to its own setting, so that nodes can share it', () => {
    expect(readConfig({ ...issuer, JWT_SIGNING_KEY_FILE: '/keys/log.pem' })).to.include({
      signingKeyNamed: true,
      signingKeyFile: '/keys/log.pem',
    })
  })

  for (const [environment, fault] of [
    [{ JWT_ISSUER: issuer.JWT_ISSUER }, 'JWT_AUDIENCE'],
    [{ ...issuer, JWT_ISSUER: 'http://issuer.example.com' }, 'JWT_ISSUER'],
    [{ ...issuer, JWT_ISSUER: 'http://127.0.0.1.example.com' }, 'JWT_ISSUER'],
    [{ ...issuer, JWT_ISSUER: 'https://user:password@issuer.example.com' }, 'JWT_ISSUER'],
    [{ ...issuer, JWT_ISSUER: 'https://issuer.example.com/?a=1' }, 'JWT_ISSUER'],
    [{ ...issuer, JWT_ISSUER: 'issuer' }, 'JWT_ISSUER'],
    [{ ...issuer, JWKS_URI: 'http://issuer.example.com/keys' }, 'JWKS_URI'],
    [{ ...issuer, JWT_ALGORITHMS: 'HS256' }, 'JWT_ALGORITHMS'],
    [{ ...issuer, JWT_ALGORITHMS: 'RS256 none' }, 'JWT_ALGORITHMS'],
    [{ ...issuer, JWT_ALGORITHMS: ',' }, 'JWT_ALGORITHMS'],
    [{ ...issuer, JWT_UNKNOWN_SUBJECTS: 'admin' }, 'JWT_UNKNOWN_SUBJECTS'],
    [{ JWKS_URI: 'https://issuer.example.com/keys' }, 'JWKS_URI'],
    [{ JWT_ALGORITHMS: 'ES256' }, 'JWT_ALGORITHMS'],
    [{ JWT_UNKNOWN_SUBJECTS: 'viewer' }, 'JWT_UNKNOWN_SUBJECTS'],
    [{ CONSOLE_CLIENT_ID: 'the-console' }, 'CONSOLE_CLIENT_ID'],
  ] as const) {
    it(`are refused: ${JSON.stringify(environment)}`, () => {
      expect(() => readConfig(environment)).to.throw(StartError, new RegExp(`^${fault}: `))
    })
  }
})

describe('the settings of tracing', () => {
  it('turn it on only where the variables of OpenTelemetry ask for it', () => {
    const of = (environment: Record<string, string>) => readConfig(environment).tracing
    expect(of({})).to.equal(undefined)
    expect(of({ OTEL_SERVICE_NAME: 'x' })).to.equal(undefined)
    expect(of({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318/' })).to.deep.equal({
      setting: 'OTEL_EXPORTER_OTLP_ENDPOINT',
      endpoint: 'http://collector:4318/v1/traces',
      serviceName: 'linkgate',
    })
    expect(
      of({
        OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318',
        OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://other/x',
        OTEL_SERVICE_NAME: 's',
      }),
    ).to.deep.equal({
      setting: 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT',
      endpoint: 'http://other/x',
      serviceName: 's',
    })
    expect(of({ OTEL_TRACES_EXPORTER: 'otlp' })).to.deep.equal({
      setting: 'OTEL_TRACES_EXPORTER',
      endpoint: 'http://localhost:4318/v1/traces',
      serviceName: 'linkgate',
    })
    expect(of({ OTEL_TRACES_EXPORTER: 'none', OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318' })).to.equal(
      undefined,
    )
    expect(of({ OTEL_SDK_DISABLED: 'true', OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318' })).to.equal(undefined)
    expect(() => of({ OTEL_TRACES_EXPORTER: 'zipkin' })).to.throw('OTEL_TRACES_EXPORTER: must be otlp or none')
    expect(() => of({ OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' })).to.throw('OTEL_EXPORTER_OTLP_PROTOCOL: must be http/json')
  })
})
