import type { Id } from '../../src/domain/id.js'
import type { Account, NewRefreshToken, SignInStore } from '../../src/identity/sign-in.js'

interface Stored extends NewRefreshToken {
  used: boolean
  revoked: boolean
}

export interface MemorySignInStore extends SignInStore {
  readonly accounts: Map<string, Account>
  readonly tokens: Map<string, Stored>
}

/** What migrations/0006_sign_in.sql and its statements promise, in memory: each method is one step, in one tick. */
export const memorySignInStore = (): MemorySignInStore => {
  const accounts = new Map<string, Account>()
  const tokens = new Map<string, Stored>()
  const byId = (id: Id) => [...accounts.values()].find((account) => account.id === id)
  return {
    accounts,
    tokens,
    findUserByEmail: async (email) => accounts.get(email.toLowerCase()) ?? null,
    insertRefreshToken: async (token) => {
      const account = byId(token.userId)
      if (!account || account.suspended || account.passwordHash !== token.passwordHash) return false
      tokens.set(token.tokenHash.toString('hex'), { ...token, used: false, revoked: false })
      return true
    },
    rotateRefreshToken: async ({ presented, successor, scopes }) => {
      const token = tokens.get(presented.toString('hex'))
      if (!token) return { outcome: 'refused' }
      if (token.used) return { outcome: 'reused' }
      const over = [...tokens.values()].some(({ family, revoked }) => family === token.family && revoked)
      if (over || token.expiresAt.getTime() <= Date.now() || byId(token.userId)?.suspended !== false)
        return { outcome: 'refused' }
      const granted = new Set(token.scope.split(' '))
      if (!scopes.every((scope) => granted.has(scope))) return { outcome: 'scope_exceeded' }
      token.used = true
      tokens.set(successor.toString('hex'), { ...token, tokenHash: successor, used: false, revoked: false })
      return { outcome: 'rotated', userId: token.userId, family: token.family, scope: token.scope }
    },
    revokeFamily: async (tokenHash) => {
      const family = tokens.get(tokenHash.toString('hex'))?.family
      for (const token of tokens.values()) if (token.family === family) token.revoked = true
    },
  }
}
