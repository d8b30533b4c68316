import { z } from 'zod'

import { Refusal } from '../domain/refusal.js'
import { passwordMail } from '../identity/mails.js'
import { passwordLink, type PasswordReset } from '../identity/password-reset.js'
import { route } from '../layers/compose.js'
import type { Route } from '../layers/route.js'
import { newPasswordPage, passwordSetPage } from '../pages/pages.js'
import { linkOver, lookAtLink, type Mailing } from './mailed-link.js'
import { textIn } from './schemas.js'
import { SIGNING_IN } from './shared-layers.js'
import { requestOf } from './sign-in-request.js'
import { ForgottenPassword, NewPassword } from './sign-in-schemas.js'

/** POST /auth/password/forgot, and GET and POST /auth/password/reset. */
export const passwordRoutes = ({
  reset,
  sendMail,
  baseUrl,
}: Mailing & { readonly reset: PasswordReset }): readonly Route[] => {
  const { host } = new URL(baseUrl)
  return [
    route({
      ...SIGNING_IN,
      path: '/auth/password/forgot',
      status: 202,
      body: ForgottenPassword,
      handle: async (input) => {
        const { email } = input.body
        if (sendMail === undefined)
          throw new Refusal('no_mail', { detail: 'Ask an admin: linkgate user reset-link makes a link for you.' })
        // counted separately, so that requests for links do not lock the account's sign-in
        await input.layers.countAccount(`a new password for ${email}`)
        reset.ask(email, requestOf(input), (to, token, expiresAt) =>
          sendMail(passwordMail(to, passwordLink(baseUrl, token), expiresAt)),
        )
        return { status: 202, body: {} }
      },
      documentation: {
        id: 'requestPasswordReset',
        refusals: ['no_mail'],
        example: { body: { email: 'ada@example.com' }, answer: {} },
        summary: 'Request a link for a new password',
        description: 'The response does not reveal whether the address has an account.',
        tag: 'sign-in',
        response: z.object({}),
      },
    }),
    lookAtLink({
      id: 'showPasswordReset',
      path: '/auth/password/reset',
      summary: 'Show a link for a new password',
      find: reset.find,
      page: (shown) => newPasswordPage(host, shown),
    }),
    route({
      ...SIGNING_IN,
      path: '/auth/password/reset',
      body: NewPassword,
      accepts: ['json', 'form'],
      form: (faults, sent) =>
        newPasswordPage(
          host,
          {
            token: textIn(sent, 'token'),
            email: textIn(sent, 'username'),
            endsTokens: textIn(sent, 'end_tokens') === 'true',
          },
          faults,
        ),
      handle: async (input) => {
        const { token, password, end_tokens: endTokens } = input.body
        if (!(await reset.reset({ token, password, endTokens }, requestOf(input)))) throw linkOver()
        return { status: 200, body: {}, page: passwordSetPage(host) }
      },
      documentation: {
        id: 'resetPassword',
        refusals: ['gone'],
        example: { body: { token: 'from the mail', password: 'a long password' }, answer: {} },
        summary: 'Choose a new password',
        description: 'With a link, once. Ends every sign-in and, with `end_tokens`, every personal token.',
        tag: 'sign-in',
        types: ['text/html'],
        response: z.object({}),
      },
    }),
  ]
}
