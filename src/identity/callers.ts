import { LRUCache } from 'lru-cache'

import type { User } from '../domain/user.js'

/** Whom a verified token names. */
export interface TokenSubject {
  readonly issuer: string
  readonly subject: string
  readonly signIn: string | null
}

/** The users whom verified tokens name. */
export interface Callers {
  /** The user as they are now; null where there is none, or where their sign-in is over. */
  find(subject: TokenSubject): Promise<User | null>
  /**
   * The user as they were when they were last found. They may have changed since: nothing is answered by it that a
   * transaction has not confirmed (`caller_stands`, migrations/0010), and no refusal ever.
   */
  recall(subject: TokenSubject): User | undefined
  /** Whether the token names the user through the identity that an external issuer knows. */
  isExternal(subject: TokenSubject): boolean
}

const REMEMBERED = 10_000

/** Remembers whom it found. Those who may do nothing are not remembered. */
export const rememberCallers = ({ find, isExternal }: Omit<Callers, 'recall'>): Callers => {
  const remembered = new LRUCache<string, User>({ max: REMEMBERED })
  const keyOf = ({ issuer, subject, signIn }: TokenSubject): string => JSON.stringify([issuer, subject, signIn])
  return {
    find: async (subject) => {
      const user = await find(subject)
      if (user === null || user.suspended) remembered.delete(keyOf(subject))
      else remembered.set(keyOf(subject), user)
      return user
    },
    recall: (subject) => remembered.get(keyOf(subject)),
    isExternal,
  }
}
