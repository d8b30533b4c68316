import { join } from 'node:path'

import { pino, type Logger } from 'pino'

import { readConfig } from '../../src/config.js'
import { ACTIONS } from '../../src/domain/action.js'
import type { User } from '../../src/domain/user.js'
import { createAccounts } from '../../src/identity/accounts.js'
import { createIssuer, type Issuer } from '../../src/identity/issuer.js'
import { loadSigningKey } from '../../src/identity/signing-key.js'
import type { Layers } from '../../src/layers/layers.js'
import { startService, type Service } from '../../src/service.js'
import { ask, type RequestOptions, type TestResponse } from './ask.js'
import { databaseWithPolicy, type TestDatabase } from './database.js'
import { makeTemporaryFolder } from './temporary-folder.js'

export type { RequestOptions, TestResponse } from './ask.js'

export interface TestUser extends User {
  /** a token of this user with every scope */
  readonly token: string
}

/** A service on a database of its own, asked over real HTTP. */
export interface TestService extends Service {
  readonly db: TestDatabase
  readonly issuer: Issuer
  request(method: string, path: string, options?: RequestOptions): Promise<TestResponse>
  addUser(role: string): Promise<TestUser>
  tokenFor(user: { readonly id: string }, scope?: string): Promise<string>
}

export interface TestServiceOptions {
  readonly environment?: Readonly<Record<string, string>>
  readonly composeLayers?: (layers: Layers) => Layers
  /** one with the default policy unless told otherwise */
  readonly db?: TestDatabase
  readonly log?: Logger
}

let users = 0

/** Starts a service for a test; limits are off unless the environment says otherwise. Stop it in `after`. */
export const startTestService = async ({
  environment = {},
  composeLayers,
  db: given,
  log,
}: TestServiceOptions = {}): Promise<TestService> => {
  const db = given ?? (await databaseWithPolicy())
  const config = readConfig({
    PORT: '0',
    DATA_DIR: join(await makeTemporaryFolder(), 'data'),
    RATE_LIMIT_ANONYMOUS: 'off',
    RATE_LIMIT_USER: 'off',
    RATE_LIMIT_SIGN_IN: 'off',
    RATE_LIMIT_INVITE: 'off',
    RATE_LIMIT_LINK_PASSWORD: 'off',
    // the cache allocates its room when it is created, which would slow each start down
    REDIRECT_CACHE_SIZE: '1000',
    // so that tests of other things pass on a loaded machine
    REQUEST_DEADLINE_MS: '15000',
    ...environment,
  })
  const service = await startService({
    config,
    opened: db,
    log: log ?? pino({ level: 'silent' }),
    ...(composeLayers ? { composeLayers } : {}),
  })
  const issuer = createIssuer(await loadSigningKey(config.signingKeyFile), config.jwtAudience)
  const accounts = createAccounts(service.database)
  const tokenFor = async ({ id }: { readonly id: string }, scope = ACTIONS.join(' ')) =>
    (await issuer.sign({ subject: id, scope, ttlSeconds: 600 })).token
  return {
    ...service,
    db,
    issuer,
    tokenFor,
    addUser: async (role) => {
      const user = await accounts.add({
        email: `${role}-${(users += 1)}@example.com`,
        role,
        name: role,
        passwordHash: null,
      })
      return { ...user, token: await tokenFor(user) }
    },
    request: async (method, path, options) => ask(service.baseUrl, method, path, options),
  }
}
