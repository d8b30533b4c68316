import type { ExternalIssuer } from '../config.js'
import type { Database } from '../database/database.js'
import type { AccessToken } from '../domain/access-token.js'
import type { User } from '../domain/user.js'
import { acceptInvitation } from './accept-invitation.js'
import type { AcceptInvitation } from './accept-invitation.js'
import type { ExternalSubject } from './accounts.js'
import { findCallers } from './callers.js'
import { AUDIENCE, createIssuer } from './issuer.js'
import type { Issuer, KeySource } from './issuer.js'
import { createPasswords } from './password.js'
import { remoteKeys } from './remote-keys.js'
import { createSignInStore } from './sign-in-store.js'
import { createSignIn } from './sign-in.js'
import type { SignIn } from './sign-in.js'
import { loadSigningKey } from './signing-key.js'
import type { SigningKey } from './signing-key.js'

/** The issuer is named after its key, so that all nodes with the key agree on the name (docs/decisions/0005). */
const issuerName = ({ kid }: SigningKey): string => `urn:linkgate:${kid}`

/** The own issuer of an installation; makes its key if there is none. */
export const openIssuer = async ({
  signingKeyFile,
  audience = AUDIENCE,
}: {
  readonly signingKeyFile: string
  readonly audience: string | undefined
}): Promise<Issuer> => {
  const key = await loadSigningKey(signingKeyFile)
  return createIssuer({ issuer: issuerName(key), audience, key })
}

/** Whom a verified token names. */
export type TokenSubject = Pick<AccessToken, 'issuer' | 'subject' | 'signIn'>

/** Who calls: verifies and makes tokens, finds users. */
export interface Identity {
  /** By whom access tokens must be issued. */
  readonly issuer: {
    readonly name: string
    readonly audience: string
    readonly keys: KeySource
    readonly algorithms: readonly string[]
    /** `sid` names a sign-in of this service */
    readonly ownSignIns: boolean
  }
  /** Null with an external issuer, which then manages accounts. */
  readonly own: {
    readonly jwks: Issuer['jwks']
    readonly signIn: SignIn
    readonly acceptInvitation: AcceptInvitation
  } | null
  /** The live personal token with this value, whose use is noted; null where there is none. */
  readonly findPersonalToken: (value: string) => Promise<AccessToken | null>
  /** The user whom a verified token names, as they are now; null where there is none, or their sign-in has ended. */
  readonly findCaller: (token: TokenSubject) => Promise<User | null>
  /** How an external issuer knows the user; null for a token that names a user of ours. */
  readonly externalSubject: (token: TokenSubject) => ExternalSubject | null
  /** The user as they are now; null where there is none. */
  readonly findUser: (id: string) => Promise<User | null>
  readonly checkPassword: (user: User, password: string) => Promise<boolean>
  /** Throws `validation_failed` for a password that is too short or too long. */
  readonly hashPassword: (password: string) => Promise<string>
}

/** The `issuer` of personal tokens beside an external issuer: they name users of this service. */
const PERSONAL_ISSUER = 'urn:linkgate:personal'

export const createIdentity = async ({
  database,
  key,
  audience = AUDIENCE,
  externalIssuer,
  onIssuerFault,
}: {
  readonly database: Database
  /** the installation's own key; unused with an external issuer */
  readonly key: SigningKey
  readonly audience: string | undefined
  readonly externalIssuer: ExternalIssuer | undefined
  /** called where the external issuer's keys could not be fetched */
  readonly onIssuerFault: (error: unknown) => void
}): Promise<Identity> => {
  const passwords = await createPasswords()
  const store = createSignInStore(database)
  const callers = findCallers(database)
  const shared = {
    findUser: (id: string) => callers.byId(id),
    checkPassword: async ({ email }: User, password: string) =>
      passwords.verify((await store.findUserByEmail(email))?.passwordHash, password),
    hashPassword: passwords.hash,
  }
  if (externalIssuer !== undefined) {
    const { name, jwksUri, algorithms, unknownSubjects } = externalIssuer
    const admit = unknownSubjects === 'viewer'
    const keys = remoteKeys({ issuer: name, jwksUri, onFault: onIssuerFault })
    const isOurs = ({ issuer }: TokenSubject) => issuer === PERSONAL_ISSUER
    return {
      ...shared,
      issuer: { name, audience: externalIssuer.audience, algorithms, ownSignIns: false, keys },
      own: null,
      findPersonalToken: (value) => callers.personalToken(value, PERSONAL_ISSUER),
      findCaller: (token) =>
        isOurs(token) ? callers.byId(token.subject) : callers.bySubject(token.issuer, token.subject, { admit }),
      externalSubject: (token) => (isOurs(token) ? null : { issuer: token.issuer, subject: token.subject }),
    }
  }
  const name = issuerName(key)
  const issuer = createIssuer({ issuer: name, audience, key })
  return {
    ...shared,
    issuer: { name, audience, algorithms: ['ES256'], ownSignIns: true, keys: issuer.keys },
    own: {
      jwks: issuer.jwks,
      signIn: createSignIn({ store, issuer, passwords }),
      acceptInvitation: acceptInvitation(database, passwords.hash),
    },
    findPersonalToken: (value) => callers.personalToken(value, name),
    findCaller: ({ subject, signIn }) => callers.byId(subject, signIn),
    externalSubject: () => null,
  }
}
