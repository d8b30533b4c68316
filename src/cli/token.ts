import { Command, InvalidArgumentError } from 'commander'

import { ACTIONS, isServiceAction } from '../domain/action.js'
import { StartError } from '../domain/start-error.js'
import { createAccounts } from '../identity/accounts.js'
import { openIssuer } from '../identity/identity.js'
import { MAX_TTL_SECONDS } from '../identity/issuer.js'
import { hashOfToken, newOpaqueToken } from '../identity/opaque-token.js'
import { PERSONAL_TOKEN_PREFIX } from '../identity/personal-token.js'
import { print, withDatabase } from './session.js'

const scope = (text: string): string => {
  const unknown = text.split(' ').filter((name) => name !== '' && !isServiceAction(name))
  if (unknown.length > 0)
    throw new InvalidArgumentError(`no such scope: ${unknown.join(', ')}; the scopes are ${ACTIONS.join(' ')}`)
  return text
}

const seconds = (text: string): number => {
  if (!/^[1-9]\d{0,6}$/.test(text) || Number(text) > MAX_TTL_SECONDS) {
    throw new InvalidArgumentError(`must be a number of seconds from 1 to ${MAX_TTL_SECONDS}`)
  }
  return Number(text)
}

/** `linkgate token`: prints the token and nothing else, so that a shell can take it as it is. */
export const tokenCommand = (): Command =>
  new Command('token')
    .description('print a bearer token for a user')
    .requiredOption('--user <id or e-mail>', 'whose token')
    .option('--scope <scopes>', 'scopes, separated by spaces; all of them where nothing is said', scope)
    .option('--ttl <seconds>', 'how long it is valid', seconds, 3_600)
    .action(async (options: { readonly user: string; readonly scope?: string; readonly ttl: number }) => {
      await withDatabase(async (database, config) => {
        const accounts = createAccounts(database)
        const user = await accounts.find(options.user)
        if (user === null) throw new StartError(`there is no user ${options.user}`)
        if (user.suspended) throw new StartError(`the user ${options.user} is suspended`)
        if (config.externalIssuer !== undefined) {
          // The issuer alone signs access tokens then. A personal token is a bearer token as well, and shows up among
          // the user's.
          const token = newOpaqueToken(PERSONAL_TOKEN_PREFIX)
          const scopes = (options.scope ?? ACTIONS.join(' ')).split(' ').filter((name) => name !== '')
          await accounts.addPersonalToken(user.id, {
            name: 'command line',
            hash: hashOfToken(token),
            scopes,
            expiresAt: new Date(Date.now() + options.ttl * 1_000),
          })
          print(token)
          return
        }
        const issuer = await openIssuer({ signingKeyFile: config.signingKeyFile, audience: config.jwtAudience })
        const { token } = await issuer.sign({
          subject: user.id,
          scope: options.scope ?? ACTIONS.join(' '),
          ttlSeconds: options.ttl,
        })
        print(token)
      })
    })
