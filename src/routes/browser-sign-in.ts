import { z } from 'zod'

import type { IssuedSession, IssuerSession } from '../identity/issuer-session.js'
import type { SignIn, SignInRequest } from '../identity/sign-in.js'

export interface BrowserSignIn<Credentials> {
  readonly credentials: z.ZodType<Credentials>
  readonly example: Credentials
  /** the account that attempts are counted for; undefined if it is not known yet */
  readonly account: (credentials: Credentials) => string | undefined
  /** throws `invalid_grant` */
  readonly begin: (credentials: Credentials, request: SignInRequest) => Promise<IssuedSession>
  /** throws `invalid_grant` if the session has ended */
  readonly refresh: (token: string, request: SignInRequest) => Promise<IssuedSession>
  readonly end: (token: string, request: SignInRequest) => Promise<void>
}

/** Seconds within which the same cookie may be sent again, by tabs that renew at once or by a reloaded page. */
const GRACE = 10

/** Accepts any texts: malformed addresses and passwords get the same answer as wrong ones. */
const Account = z.strictObject({
  email: z.string().max(254).describe('address of the account'),
  password: z.string().max(256).meta({ format: 'password', description: 'password of the account' }),
})

/** Sign-in with address and password, at this service. */
export const passwordSignIn = (signIn: SignIn): BrowserSignIn<z.infer<typeof Account>> => ({
  credentials: Account,
  example: { email: 'ada@example.com', password: 'a long password' },
  account: ({ email }) => email,
  begin: ({ email, password }, request) => signIn.password({ username: email, password }, request),
  refresh: (token, request) => signIn.refresh({ refresh_token: token, grace: GRACE }, request),
  end: signIn.revoke,
})

const Code = z.strictObject({
  code: z.string().min(1).max(4_096).describe('the code from the issuer’s redirect'),
  code_verifier: z
    .string()
    .regex(/^[A-Za-z0-9._~-]{43,128}$/)
    .meta({ maxLength: 128, description: 'the verifier of the challenge given to the issuer (RFC 7636)' }),
})

/** Sign-in with a code of an OpenID Connect issuer. */
export const issuerSignIn = (session: IssuerSession, baseUrl: string): BrowserSignIn<z.infer<typeof Code>> => ({
  credentials: Code,
  example: { code: 'from-the-issuer', code_verifier: 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk' },
  account: () => undefined,
  begin: (issued) => session.begin(issued, baseUrl),
  refresh: session.refresh,
  end: session.end,
})
