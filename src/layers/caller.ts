import type { AccessToken } from '../domain/access-token.js'
import type { User } from '../domain/user.js'

/** Who made the request, according to the gateway: a user with the scopes of their token, or an anonymous caller. */
export interface Caller {
  readonly user: User | null
  /** the token's scopes; empty for an anonymous caller */
  readonly scopes: ReadonlySet<string>
  /** the token's id (`jti`), for the decision record; never the token */
  readonly tokenId: string | null
  /** the sign-in that issued the token; null if none did */
  readonly signIn: string | null
  /** a personal token's row id; null for every other token */
  readonly personalToken: string | null
  /** the user's identity at an external issuer; null if they have none */
  readonly external: { readonly issuer: string; readonly subject: string } | null
  readonly address: string
}

/** The caller, as the decision log names them. */
export const subjectOf = (caller: Caller | null) => ({
  subject_id: caller?.user?.id ?? null,
  subject_role: caller?.user?.role ?? 'anonymous',
  token_id: caller?.tokenId ?? null,
})

/** What the gateway knows once the rate limit and the token are checked, before the user is looked up. */
export interface Admitted {
  readonly address: string
  /** null for an anonymous caller */
  readonly token: AccessToken | null
  /** the quotas of the token's user that the request counted against; none: those of the address */
  readonly quotas: readonly UserQuota[]
}

export interface UserQuota {
  readonly name: 'user' | 'invite'
  /** the user's bucket */
  readonly bucket: string
}
