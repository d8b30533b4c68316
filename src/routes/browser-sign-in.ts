import { z } from 'zod'

import type { Deadline } from '../domain/deadline.js'
import type { IssuedSession, IssuerSession } from '../identity/issuer-session.js'
import type { SignIn, SignInRequest } from '../identity/sign-in.js'

/** How browsers sign in: with what, and at whom. */
export interface BrowserSignIn<Credentials> {
  readonly credentials: z.ZodType<Credentials>
  readonly example: Credentials
  /** whose attempts are counted together; undefined where nobody knows yet */
  readonly account: (credentials: Credentials) => string | undefined
  /** throws `invalid_grant` */
  readonly begin: (credentials: Credentials, request: SignInRequest) => Promise<IssuedSession>
  /** throws `invalid_grant` where the session is over */
  readonly refresh: (token: string, request: SignInRequest) => Promise<IssuedSession>
  readonly end: (token: string, deadline: Deadline) => Promise<void>
}

/** Seconds in which tabs that renew at once, or a page that is loaded again meanwhile, may send the same cookie. */
const GRACE = 10

/** Any texts: what is no address or no password gets the one answer of all that do not match. */
const Account = z.strictObject({
  email: z.string().max(254).describe('the address of the account'),
  password: z.string().max(256).meta({ format: 'password', description: 'of the account' }),
})

/** With address and password, at this service. */
export const passwordSignIn = (signIn: SignIn): BrowserSignIn<z.infer<typeof Account>> => ({
  credentials: Account,
  example: { email: 'ada@example.com', password: 'a long password' },
  account: ({ email }) => email,
  begin: ({ email, password }, request) => signIn.password({ username: email, password }, request),
  refresh: (token, request) => signIn.refresh({ refresh_token: token, grace: GRACE }, request),
  end: signIn.revoke,
})

const Code = z.strictObject({
  code: z.string().min(1).max(4_096).describe('that the issuer sent the browser back with'),
  code_verifier: z
    .string()
    .regex(/^[A-Za-z0-9._~-]{43,128}$/)
    .meta({ maxLength: 128, description: 'of which the issuer was given the challenge (RFC 7636)' }),
})

/** With a code of an OpenID Connect issuer. */
export const issuerSignIn = (session: IssuerSession, baseUrl: string): BrowserSignIn<z.infer<typeof Code>> => ({
  credentials: Code,
  example: { code: 'from-the-issuer', code_verifier: 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk' },
  account: () => undefined,
  begin: (issued) => session.begin(issued, baseUrl),
  refresh: session.refresh,
  end: session.end,
})
