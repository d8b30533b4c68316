/** A verified token: what the gateway lets the rest of the service know of it. */
export interface AccessToken {
  readonly subject: string
  readonly issuer: string
  readonly scopes: ReadonlySet<string>
  /** `jti`; for the decision record */
  readonly id: string | null
  /** seconds since 1970 */
  readonly expiresAt: number
  /** the sign-in that the token comes from (`sid`, a UUID); null where it comes from none */
  readonly signIn: string | null
}
