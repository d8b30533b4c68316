import { z } from 'zod'

import { Refusal } from '../domain/refusal.js'
import type { IssuedSession } from '../identity/issuer-session.js'
import { CHALLENGE } from '../layers/1-gateway/token.js'
import { route } from '../layers/compose.js'
import type { Answer, Route } from '../layers/route.js'
import type { BrowserSignIn } from './browser-sign-in.js'
import { sessionCookie, type SessionCookie } from './session-cookie.js'
import { SIGNING_IN, WITHOUT_POLICY } from './shared-layers.js'
import { requestOf } from './sign-in-request.js'
import { ACCESS_TOKEN } from './sign-in-schemas.js'

const SessionAnswer = z
  .object(ACCESS_TOKEN)
  .meta({ id: 'Session', description: 'an access token for the page; the refresh token comes as a cookie' })

const answerOf = ({ access, refreshToken, endsAt }: IssuedSession, cookie: SessionCookie): Answer => ({
  status: 200,
  body: access,
  headers: {
    'Set-Cookie': refreshToken === null ? cookie.clear : cookie.keep(refreshToken, endsAt),
    'Cache-Control': 'no-store',
  },
})

const sessionEnded = (cookie: SessionCookie): Refusal =>
  new Refusal('session_ended', { headers: { 'Set-Cookie': cookie.clear, 'WWW-Authenticate': CHALLENGE } })

/**
 * Browser sign-in: the page gets the access token, and a cookie holds the refresh token. Only these routes read a
 * cookie, and they accept only requests from the service's own pages.
 */
export const sessionRoutes = <Credentials>({
  signIn,
  baseUrl,
}: {
  readonly signIn: BrowserSignIn<Credentials>
  readonly baseUrl: string
}): readonly Route[] => {
  const cookie = sessionCookie(baseUrl)
  const requireCookie = (): SessionCookie => {
    if (cookie === null)
      throw new Refusal('https_required', {
        detail:
          `Over plain http, anybody on the way could read the session. Set BASE_URL to the https URL of this ` +
          `service, or, on its own machine, to one like http://127.0.0.1. It is ${baseUrl} now.`,
      })
    return cookie
  }
  return [
    route({
      ...SIGNING_IN,
      path: '/auth/session',
      gateway: { ...SIGNING_IN.gateway, from: baseUrl },
      body: signIn.credentials,
      handle: async ({ body, layers, ...input }) => {
        const kept = requireCookie()
        // attempts on one account are limited across all addresses
        const account = signIn.account(body)
        if (account !== undefined) await layers.countAccount(account)
        return answerOf(await signIn.begin(body, requestOf(input)), kept)
      },
      documentation: {
        id: 'createSession',
        refusals: ['invalid_grant', 'https_required'],
        example: { body: signIn.example },
        summary: 'Sign in a browser',
        description: 'The response has an access token, and the refresh token as a cookie.',
        tag: 'sign-in',
        response: SessionAnswer,
      },
    }),
    route({
      ...WITHOUT_POLICY,
      method: 'post',
      path: '/auth/session/refresh',
      status: 200,
      // not counted as a sign-in: nobody can guess 256 bits, and every page load renews
      gateway: { scope: 'public', quota: 'caller', from: baseUrl },
      handle: async ({ headers, ...input }) => {
        const kept = requireCookie()
        const token = kept.valueOf(headers.cookie(kept.name))
        if (token === null) throw sessionEnded(kept)
        const session = await signIn.refresh(token, requestOf(input)).catch((error: unknown) => {
          throw error instanceof Refusal && error.code === 'invalid_grant' ? sessionEnded(kept) : error
        })
        return answerOf(session, kept)
      },
      documentation: {
        id: 'refreshSession',
        refusals: ['session_ended', 'https_required'],
        summary: 'Renew a browser’s access token',
        description: 'With its cookie, which is replaced.',
        tag: 'sign-in',
        response: SessionAnswer,
      },
    }),
    route({
      ...WITHOUT_POLICY,
      method: 'delete',
      path: '/auth/session',
      status: 204,
      gateway: { scope: 'public', quota: 'caller', from: baseUrl },
      handle: async ({ headers, ...input }) => {
        const kept = requireCookie()
        const token = kept.valueOf(headers.cookie(kept.name))
        if (token !== null) await signIn.end(token, requestOf(input))
        return { status: 204, headers: { 'Set-Cookie': kept.clear, 'Cache-Control': 'no-store' } }
      },
      documentation: {
        id: 'endSession',
        refusals: ['https_required'],
        summary: 'Sign out a browser',
        description: 'Ends the sign-in and its access tokens, in every tab.',
        tag: 'sign-in',
      },
    }),
  ]
}
