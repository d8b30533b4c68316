import type { Logger } from 'pino'

import type { Config } from '../config.js'
import { createIdentity } from '../identity/identity.js'
import { loadOrMakeSigningKey, loadSigningKey } from '../identity/signing-key.js'
import { logOutages } from '../log/on-change.js'
import type { Closing } from './closing.js'
import type { Base } from './open-data.js'

/**
 * Opens the accounts of users, the key that signs tokens and the decision log, and the mailer, which needs an SMTP
 * server.
 */
export const openIdentity = async ({ config, data, log }: Base, closing: Closing) => {
  const { signingKeyFile: file, signingKeyNamed, smtp } = config
  // a configured file that is missing may be a mistyped path: the node must not silently get a key of its own
  const signingKey = signingKeyNamed
    ? await loadSigningKey(file)
    : await loadOrMakeSigningKey(file, () => log.info({ file }, 'a new signing key was made: there was none'))
  const identity = await createIdentity({
    database: data.database,
    key: signingKey,
    audience: config.jwtAudience,
    externalIssuer: config.externalIssuer,
    onKeysFetch: logOutages(
      log,
      'the keys of the token issuer could not be fetched',
      'the keys of the token issuer are fetched again',
      { level: 'error' },
    ),
    onSessionFault: (err) => log.error({ err }, 'the token issuer could not be reached'),
    onResetFault: (err) => log.error({ err }, 'a requested link for a new password could not be made'),
  })
  const mailer = smtp && (await openMailer(smtp, log))
  closing.add(async () => mailer?.settled())
  closing.add(async () => identity.own?.passwordReset.settled())
  return { identity, signingKey, sendMail: mailer?.send }
}

const openMailer = async (smtp: NonNullable<Config['smtp']>, log: Logger) => {
  const { createMailer } = await import('../identity/mailer.js')
  return createMailer({ ...smtp, onFault: (fault) => log.error(fault, 'a mail could not be sent') })
}
