import { z } from 'zod'

import { networkOf } from '../domain/network.js'
import { Refusal } from '../domain/refusal.js'
import type { SignIn, SignInRequest, SignedIn } from '../identity/sign-in.js'
import { CHALLENGE } from '../layers/1-gateway/token.js'
import { route } from '../layers/compose.js'
import { NO_DATA, NO_INPUT, NO_OBJECT } from '../layers/route.js'
import type { Answer, HandlerInput, Route } from '../layers/route.js'
import { sessionCookie } from './session-cookie.js'
import type { SessionCookie } from './session-cookie.js'
import { ACCESS_TOKEN } from './sign-in-schemas.js'

/** Seconds in which tabs that renew at once, or a page that is loaded again meanwhile, may send the same cookie. */
const GRACE = 10

export const SessionAnswer = z
  .object(ACCESS_TOKEN)
  .meta({ id: 'Session', description: 'an access token for the page; the refresh token comes as a cookie' })

/** Any texts: what is no address or no password gets the one answer of all that do not match. */
export const NewSession = z.strictObject({
  email: z.string().max(254).describe('the address of the account'),
  password: z.string().max(256).meta({ format: 'password', description: 'of the account' }),
})

type Input = Pick<HandlerInput<unknown, unknown, unknown, object, unknown>, 'caller' | 'requestId' | 'deadline'>

const requestOf = ({ caller, requestId, deadline }: Input): SignInRequest => ({
  id: requestId,
  network: networkOf(caller.address),
  deadline,
})

const answerOf = ({ access, refreshToken, endsAt }: SignedIn, cookie: SessionCookie): Answer => ({
  status: 200,
  body: access,
  headers: { 'Set-Cookie': cookie.keep(refreshToken, endsAt), 'Cache-Control': 'no-store' },
})

const sessionEnded = (cookie: SessionCookie): Refusal =>
  new Refusal('session_ended', { headers: { 'Set-Cookie': cookie.clear, 'WWW-Authenticate': CHALLENGE } })

/**
 * The sign-in of a browser: the page has the access token, and a cookie the refresh token. These routes alone read a
 * cookie, and take requests of the service's own pages alone.
 */
export const sessionRoutes = ({
  signIn,
  baseUrl,
}: {
  readonly signIn: SignIn
  readonly baseUrl: string
}): readonly Route[] => {
  const cookie = sessionCookie(baseUrl)
  const requireCookie = (): SessionCookie => {
    if (cookie === null)
      throw new Refusal('https_required', {
        detail:
          `Over plain http anybody on the way could read the session. Set BASE_URL to the https address of this ` +
          `service; on its own machine http://127.0.0.1 will do. It is ${baseUrl} now.`,
      })
    return cookie
  }
  const ofOwnPages = {
    ...NO_INPUT,
    endpoint: 'none',
    object: NO_OBJECT,
    data: NO_DATA,
  } as const

  return [
    route({
      ...ofOwnPages,
      method: 'post',
      path: '/auth/session',
      status: 200,
      gateway: { scope: 'public', quota: 'sign_in', from: baseUrl },
      body: NewSession,
      handle: async ({ body: { email, password }, countAccount, ...input }) => {
        const kept = requireCookie()
        // attempts on one account are limited across all addresses
        await countAccount(email)
        return answerOf(await signIn.password({ username: email, password }, requestOf(input)), kept)
      },
      documentation: {
        id: 'createSession',
        refusals: ['invalid_grant', 'https_required'],
        example: { body: { email: 'ada@example.com', password: 'a long password' } },
        summary: 'Sign in a browser: an access token, and the refresh token as a cookie',
        tag: 'sign-in',
        response: SessionAnswer,
      },
    }),
    route({
      ...ofOwnPages,
      method: 'post',
      path: '/auth/session/refresh',
      status: 200,
      // not as a sign-in: nobody guesses 256 bits, and each load of a page renews
      gateway: { scope: 'public', quota: 'caller', from: baseUrl },
      handle: async ({ cookie: read, ...input }) => {
        const kept = requireCookie()
        const token = read(kept.name)
        if (!token) throw sessionEnded(kept)
        const signedIn = await signIn
          .refresh({ refresh_token: token, grace: GRACE }, requestOf(input))
          .catch((error: unknown) => {
            throw error instanceof Refusal && error.code === 'invalid_grant' ? sessionEnded(kept) : error
          })
        return answerOf(signedIn, kept)
      },
      documentation: {
        id: 'refreshSession',
        refusals: ['session_ended', 'https_required'],
        summary: 'Get a browser its next access token for its cookie, which is replaced',
        tag: 'sign-in',
        response: SessionAnswer,
      },
    }),
    route({
      ...ofOwnPages,
      method: 'delete',
      path: '/auth/session',
      status: 204,
      gateway: { scope: 'public', quota: 'caller', from: baseUrl },
      handle: async ({ cookie: read, deadline }) => {
        const kept = requireCookie()
        const token = read(kept.name)
        if (token) await signIn.revoke(token, deadline)
        return { status: 204, headers: { 'Set-Cookie': kept.clear, 'Cache-Control': 'no-store' } }
      },
      documentation: {
        id: 'endSession',
        refusals: ['https_required'],
        summary: 'Sign out a browser: the sign-in ends with its access tokens, in every tab',
        tag: 'sign-in',
      },
    }),
  ]
}
