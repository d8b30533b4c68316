import type { ExternalIssuer } from '../config.js'
import type { Database } from '../database/database.js'
import type { AccessToken } from '../domain/access-token.js'
import type { User } from '../domain/user.js'
import { acceptInvitation, findInvitation } from './accept-invitation.js'
import { createAccounts, type ExternalSubject } from './accounts.js'
import { findCallers } from './callers.js'
import { createAddressChange } from './address-change.js'
import { createIssuer } from './issuer.js'
import { createIssuerSession } from './issuer-session.js'
import { createPasswordReset } from './password-reset.js'
import { createPasswords } from './password.js'
import { remoteKeys } from './remote-keys.js'
import { createSignIn, findAccount } from './sign-in.js'
import type { SigningKey } from './signing-key.js'

/** The claims by which a verified token names its user. */
export type TokenSubject = Pick<AccessToken, 'issuer' | 'subject' | 'signIn' | 'personalToken'>

/** The `issuer` of personal tokens when there is also an external issuer. They name users of this service. */
const PERSONAL_ISSUER = 'urn:linkgate:personal'

/**
 * Sets up authentication, with access tokens from this service or from an external issuer. Every call reads the user
 * from the database. Throws StartError if argon2 is not installed.
 */
export const createIdentity = async ({
  database,
  key,
  audience,
  externalIssuer: external,
  onKeysFetch,
  onSessionFault,
  onResetFault,
}: {
  readonly database: Database
  /** the installation's own key; with an external issuer it signs no tokens, only the decision log */
  readonly key: SigningKey
  readonly audience: string | undefined
  readonly externalIssuer: ExternalIssuer | undefined
  /** called after each attempt to fetch the external issuer's keys: with its error, or with null */
  readonly onKeysFetch: (fault: unknown) => void
  /** called if the external issuer could not be reached for a sign-in */
  readonly onSessionFault: (error: unknown) => void
  /** called if a requested link for a new password could not be made */
  readonly onResetFault: (error: unknown) => void
}) => {
  const passwords = await createPasswords()
  const callers = findCallers(database)
  const issuer = createIssuer(key, audience)
  const isExternal = (token: TokenSubject) => external !== undefined && token.issuer !== PERSONAL_ISSUER
  return {
    /** The issuer whose access tokens are accepted. `ownSignIns`: their `sid` names a sign-in of this service. */
    issuer: external
      ? {
          ...external,
          keys: remoteKeys({ issuer: external.name, jwksUri: external.jwksUri, onFetch: onKeysFetch }),
          ownSignIns: false,
        }
      : { ...issuer, algorithms: ['ES256'], ownSignIns: true },

    /** Null with an external issuer, which manages accounts itself. */
    own: external
      ? null
      : {
          jwks: issuer.jwks,
          signIn: createSignIn({ database, issuer, passwords }),
          findInvitation: findInvitation(database),
          acceptInvitation: acceptInvitation(database, passwords.hash),
          addressChange: createAddressChange(database),
          passwordReset: createPasswordReset({ database, hashPassword: passwords.hash, onFault: onResetFault }),
        },

    /** Browser sign-ins at an external issuer; null if no client of that issuer is configured for the console. */
    issuerSession:
      external?.consoleClientId === undefined
        ? null
        : createIssuerSession({
            issuer: external.name,
            audience: external.audience,
            clientId: external.consoleClientId,
            onFault: onSessionFault,
          }),

    /** The live personal token with this value, or null. Records its use. */
    findPersonalToken: (value: string): Promise<AccessToken | null> =>
      callers.personalToken(value, external ? PERSONAL_ISSUER : issuer.name),

    /**
     * The user named by a verified token, as they are now; null if there is none, or if their sign-in or token has
     * ended.
     */
    findCaller: (token: TokenSubject): Promise<User | null> =>
      isExternal(token)
        ? callers.bySubject(token.issuer, token.subject, { admit: external?.unknownSubjects === 'viewer' })
        : callers.byId(token.subject, token),

    /** The user's identity at an external issuer; null if the token names a user of ours. */
    externalSubject: (token: TokenSubject): ExternalSubject | null =>
      isExternal(token) ? { issuer: token.issuer, subject: token.subject } : null,

    /** The user as they are now, or null. */
    findUser: (id: string): Promise<User | null> => callers.byId(id),

    /** The user with an e-mail address, in any case, or null. */
    findAddress: (email: string): Promise<User | null> => createAccounts(database).find(email),

    /** The stored hash that the user's password matches; null: it is not their password, or they have none. */
    provePassword: async ({ email }: User, password: string): Promise<string | null> => {
      const hash = (await findAccount(database, email))?.password_hash ?? null
      return (await passwords.verify(hash, password)) ? hash : null
    },

    /** Throws `validation_failed` for a password that is too short or too long. */
    hashPassword: passwords.hash,
    verifyPassword: passwords.verify,
  }
}

/** Verifies and makes tokens, and finds users. */
export type Identity = Awaited<ReturnType<typeof createIdentity>>
