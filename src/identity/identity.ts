import type { ExternalIssuer } from '../config.js'
import type { Database } from '../database/database.js'
import type { AccessToken } from '../domain/access-token.js'
import type { User } from '../domain/user.js'
import { acceptInvitation } from './accept-invitation.js'
import type { ExternalSubject } from './accounts.js'
import type { AcceptInvitation } from './accept-invitation.js'
import { findExternalUser, findUser } from './find-user.js'
import { AUDIENCE, createIssuer } from './issuer.js'
import type { Issuer } from './issuer.js'
import { ownKeys } from './key-source.js'
import type { KeySource } from './key-source.js'
import { createPasswords } from './password.js'
import { usePersonalToken } from './personal-token.js'
import { remoteKeys } from './remote-keys.js'
import { createSignIn } from './sign-in.js'
import type { SignIn } from './sign-in.js'
import { createSignInStore } from './sign-in-store.js'
import { loadSigningKey } from './signing-key.js'
import type { SigningKey } from './signing-key.js'

export interface IssuerSettings {
  readonly signingKeyFile: string
  /** `aud` of tokens for this service; AUDIENCE where nothing is said */
  readonly audience: string | undefined
}

/** Named after its key, so that every node that shares the key agrees on it (docs/decisions/0005). */
const nameOf = ({ kid }: SigningKey): string => `urn:linkgate:${kid}`

/** The own issuer of an installation; makes its key where there is none. */
export const openIssuer = async ({ signingKeyFile, audience = AUDIENCE }: IssuerSettings): Promise<Issuer> => {
  const key = await loadSigningKey(signingKeyFile)
  return createIssuer({ issuer: nameOf(key), audience, key })
}

/** What there is with the own issuer, and not with an external one: accounts are then the issuer's business. */
export interface OwnSignIn {
  readonly jwks: Issuer['jwks']
  readonly signIn: SignIn
  readonly acceptInvitation: AcceptInvitation
}

/** What the gateway verifies access tokens by. */
export interface AcceptedIssuer {
  readonly name: string
  readonly audience: string
  readonly keys: KeySource
  readonly algorithms: readonly string[]
  /** true where `sid` names a sign-in of this service */
  readonly ownSignIns: boolean
}

/** Whom a verified token names. */
export type TokenSubject = Pick<AccessToken, 'issuer' | 'subject' | 'signIn'>

/** Who callers are: tokens made and checked, users found. */
export interface Identity {
  readonly issuer: AcceptedIssuer
  readonly own: OwnSignIn | null
  /** The live personal token with this value, and notes that it was used; null where there is none. */
  readonly findPersonalToken: (value: string) => Promise<AccessToken | null>
  /** The user whom a verified token names, as they are now; null where there is none, or where their sign-in is over. */
  readonly findCaller: (token: TokenSubject) => Promise<User | null>
  /** How an external issuer knows the user; null for a token that names a user of ours. */
  readonly externalSubject: (token: TokenSubject) => ExternalSubject | null
  /** The user as they are now; null where there is none. */
  readonly findUser: (id: string) => Promise<User | null>
  /** true where the password is the user's */
  readonly checkPassword: (user: User, password: string) => Promise<boolean>
  /** Throws `validation_failed` for a password that is too short or too long. */
  readonly hashPassword: (password: string) => Promise<string>
}

export interface IdentityParts {
  readonly database: Database
  /** the installation's own key; not used where an external issuer signs */
  readonly key: SigningKey
  /** `aud` of tokens for this service; default AUDIENCE */
  readonly audience: string | undefined
  readonly externalIssuer: ExternalIssuer | undefined
  /** told when the external issuer's keys could not be had */
  readonly onIssuerFault: (error: unknown) => void
}

/** The `issuer` of personal tokens beside an external issuer: they name users of this service. */
export const PERSONAL_ISSUER = 'urn:linkgate:personal'

export const createIdentity = async (parts: IdentityParts): Promise<Identity> => {
  const { database, key, audience = AUDIENCE, externalIssuer, onIssuerFault } = parts
  const passwords = await createPasswords()
  const store = createSignInStore(database)
  const find = findUser(database)
  const shared = {
    findUser: (id: string) => find(id),
    checkPassword: async ({ email }: User, password: string) =>
      passwords.verify((await store.findUserByEmail(email))?.passwordHash, password),
    hashPassword: passwords.hash,
  }
  if (externalIssuer !== undefined) {
    const { name, jwksUri, algorithms, unknownSubjects } = externalIssuer
    const findExternal = findExternalUser(database, { admit: unknownSubjects === 'viewer' })
    const externalSubject = ({ issuer, subject }: TokenSubject) =>
      issuer === PERSONAL_ISSUER ? null : { issuer, subject }
    return {
      ...shared,
      issuer: {
        name,
        audience: externalIssuer.audience,
        algorithms,
        ownSignIns: false,
        keys: remoteKeys({ issuer: name, jwksUri, onFault: onIssuerFault }),
      },
      own: null,
      findPersonalToken: usePersonalToken(database, PERSONAL_ISSUER),
      findCaller: async (token) =>
        externalSubject(token) === null ? find(token.subject) : findExternal(token.issuer, token.subject),
      externalSubject,
    }
  }
  const issuer = createIssuer({ issuer: nameOf(key), audience, key })
  return {
    ...shared,
    issuer: { name: nameOf(key), audience, algorithms: ['ES256'], ownSignIns: true, keys: ownKeys(key) },
    own: {
      jwks: issuer.jwks,
      signIn: createSignIn({ store, issuer, passwords }),
      acceptInvitation: acceptInvitation(database, passwords.hash),
    },
    findPersonalToken: usePersonalToken(database, nameOf(key)),
    findCaller: ({ subject, signIn }) => find(subject, signIn),
    externalSubject: () => null,
  }
}
