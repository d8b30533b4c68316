import type { Database } from '../database/database.js'
import type { User } from '../domain/user.js'
import { acceptInvitation } from './accept-invitation.js'
import type { AcceptInvitation } from './accept-invitation.js'
import { findUser } from './find-user.js'
import { AUDIENCE, createIssuer } from './issuer.js'
import type { Issuer } from './issuer.js'
import { ownKeys } from './key-source.js'
import type { KeySource } from './key-source.js'
import { createPasswords } from './password.js'
import { usePersonalToken } from './personal-token.js'
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

/** Who callers are: tokens made and checked, users found. */
export interface Identity {
  /** what the gateway verifies access tokens by */
  readonly issuer: { readonly name: string; readonly audience: string; readonly keys: KeySource }
  readonly personalTokens: ReturnType<typeof usePersonalToken>
  readonly jwks: Issuer['jwks']
  /** The user as they are now; null where there is none, or where the sign-in named with them is over. */
  readonly findUser: (id: string, signIn?: string | null) => Promise<User | null>
  readonly acceptInvitation: AcceptInvitation
  readonly signIn: SignIn
  /** true where the password is the user's */
  readonly checkPassword: (user: User, password: string) => Promise<boolean>
  /** Throws `validation_failed` for a password that is too short or too long. */
  readonly hashPassword: (password: string) => Promise<string>
}

export const createIdentity = async ({ database, signingKeyFile, audience = AUDIENCE }: IssuerSettings & { readonly database: Database }): Promise<Identity> => {
  const key = await loadSigningKey(signingKeyFile)
  const issuer = createIssuer({ issuer: nameOf(key), audience, key })
  const passwords = await createPasswords()
  const store = createSignInStore(database)
  return {
    issuer: { name: nameOf(key), audience, keys: ownKeys(key) },
    personalTokens: usePersonalToken(database),
    acceptInvitation: acceptInvitation(database, passwords.hash),
    jwks: issuer.jwks,
    findUser: findUser(database),
    signIn: createSignIn({ store, issuer, passwords }),
    checkPassword: async ({ email }, password) => passwords.verify((await store.findUserByEmail(email))?.passwordHash, password),
    hashPassword: passwords.hash,
  }
}
