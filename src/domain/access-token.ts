/** A verified token, as the rest of the service sees it. */
export interface AccessToken {
  readonly subject: string
  readonly issuer: string
  readonly scopes: ReadonlySet<string>
  /** `jti`; for the decision record */
  readonly id: string
  /** the sign-in that issued it (`sid`, a UUID); null: none */
  readonly signIn: string | null
  /** the row of a personal token; null for every other token */
  readonly personalToken: string | null
}
