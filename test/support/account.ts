import { loadArgon2 } from '../../src/identity/load-argon2.js'
import type { TestService, TestUser } from './service.js'

/** The password of users of tests. */
export const PASSWORD = 'correct horse battery'

/**
 * A hash of a password for a row of `users`. A check costs what the hash says, and this one says as little as it can,
 * since tests sign in often; identity/password.test.ts is about hashes as the service makes them.
 */
export const cheapHash = async (password = PASSWORD): Promise<string> =>
  (await loadArgon2()).hash(password, { memoryCost: 8, timeCost: 1, parallelism: 1, outputLen: 32 })

/** Gives a user the password `PASSWORD`. */
export const givePassword = async (service: TestService, { id }: { readonly id: string }): Promise<void> => {
  await service.db.asOwner('update users set password_hash = $1 where id = $2', [await cheapHash(), id])
}

/** A user with the password `PASSWORD`. */
export const addAccount = async (service: TestService, role = 'editor'): Promise<TestUser> => {
  const user = await service.addUser(role)
  await givePassword(service, user)
  return user
}
