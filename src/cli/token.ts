import { Option, type Command } from 'commander'

import { ACTIONS, SCOPES, isScope } from '../domain/action.js'
import { StartError } from '../domain/start-error.js'
import { createAccounts } from '../identity/accounts.js'
import { MAX_TTL_SECONDS, createIssuer } from '../identity/issuer.js'
import { PERSONAL_TOKEN_PREFIX, hashOfToken, newOpaqueToken } from '../identity/opaque-token.js'
import { loadSigningKey } from '../identity/signing-key.js'
import { count, parsed } from './arguments.js'
import { print } from './print.js'
import { lookUpUser, withDatabase } from './session.js'

const scopes = parsed(
  (text) => {
    const names = text.split(' ').filter((name) => name !== '')
    return names.every(isScope) ? names : undefined
  },
  `must be made of ${SCOPES.join(', ')}`,
)

interface Options {
  readonly user: string
  readonly scope: readonly string[]
  readonly ttl: number
}

/** Prints only the token, so that a shell can use the output. */
export const register = (program: Command) =>
  program
    .command('token')
    .description('print a bearer token for a user')
    .requiredOption('--user <id or e-mail>', 'the user of the token')
    .addOption(
      new Option('--scope <scopes>', 'scopes, separated by spaces').argParser(scopes).default(ACTIONS, 'every action'),
    )
    .option('--ttl <seconds>', 'lifetime', count(MAX_TTL_SECONDS), 3_600)
    .action(({ user: idOrEmail, scope, ttl }: Options) =>
      withDatabase(async (database, { externalIssuer, signingKeyFile, jwtAudience }) => {
        const user = await lookUpUser(database, idOrEmail)
        if (user.suspended) throw new StartError(`the user ${idOrEmail} is suspended`)
        const accounts = createAccounts(database)
        const expiresAt = new Date(Date.now() + ttl * 1_000)
        if (externalIssuer === undefined) {
          const issuer = createIssuer(await loadSigningKey(signingKeyFile), jwtAudience)
          const { token, id } = await issuer.sign({ subject: user.id, scope: scope.join(' '), ttlSeconds: ttl })
          // recorded before it is printed, so that every token is in the log
          await accounts.recordSignedToken(user.id, id, scope, expiresAt)
          return print(token)
        }
        // Only the external issuer can sign access tokens: this is a personal token, which the user can see and revoke.
        const token = newOpaqueToken(PERSONAL_TOKEN_PREFIX)
        await accounts.addPersonalToken(user.id, 'command line', hashOfToken(token), scope, expiresAt)
        print(token)
      }),
    )
