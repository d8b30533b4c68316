import { PERSONAL_ISSUER } from '../../identity/identity.js'
import type { Identity } from '../../identity/identity.js'
import { PERSONAL_TOKEN_PREFIX } from '../../identity/personal-token.js'
import { createTokenVerifier } from './token.js'
import type { TokenVerifier } from './token.js'

/** Verifies what an installation accepts: access tokens of its issuer, and personal tokens of its users. */
export const verifierOf = ({ issuer, personalTokens }: Pick<Identity, 'issuer' | 'personalTokens'>): TokenVerifier =>
  createTokenVerifier({
    issuer: issuer.name,
    audience: issuer.audience,
    keys: issuer.keys,
    algorithms: issuer.algorithms,
    ownSignIns: issuer.ownSignIns,
    opaque: {
      prefix: PERSONAL_TOKEN_PREFIX,
      find: async (token) => {
        const found = await personalTokens(token)
        return (
          found && {
            subject: found.userId,
            issuer: issuer.ownSignIns ? issuer.name : PERSONAL_ISSUER,
            scopes: new Set(found.scopes),
            id: `personal:${found.id}`,
            expiresAt: found.expiresAt.getTime() / 1_000,
            signIn: null,
          }
        )
      },
    },
  })
