import { Refusal } from '../domain/refusal.js'
import type { MailedLink } from '../identity/mailed-link.js'
import type { SendMail } from '../identity/mailer.js'
import { route } from '../layers/compose.js'
import type { Answer, Route } from '../layers/route.js'
import { PUBLIC_GET } from './shared-layers.js'
import { MailedLinkQuery, MailedLinkView } from './sign-in-schemas.js'

/** What a route that mails links needs. */
export interface Mailing {
  /** undefined without an SMTP server */
  readonly sendMail: SendMail | undefined
  readonly baseUrl: string
}

export const linkOver = (): Refusal =>
  new Refusal('gone', { detail: 'The link was used or has expired, or there never was one. Ask for another.' })

/** GET of a link in a mail. Changes nothing, because mail scanners open links. */
export const lookAtLink = ({
  id,
  path,
  summary,
  find,
  page,
}: {
  readonly id: string
  readonly path: string
  readonly summary: string
  /** null if the link no longer works */
  readonly find: (token: string) => Promise<MailedLink | null>
  readonly page: (shown: { readonly token: string; readonly email: string }) => NonNullable<Answer['page']>
}): Route =>
  route({
    ...PUBLIC_GET,
    path,
    query: MailedLinkQuery,
    handle: async ({ query: { token } }) => {
      const link = await find(token)
      if (link === null) throw linkOver()
      const { email, expiresAt } = link
      return {
        status: 200,
        body: { email, expires_at: expiresAt.toISOString() },
        page: page({ token, email }),
        headers: { 'Cache-Control': 'no-store' },
      }
    },
    documentation: {
      id,
      summary,
      description: 'Showing it does not use it up. Browsers get a page with a form.',
      tag: 'sign-in',
      types: ['text/html'],
      response: MailedLinkView,
      refusals: ['gone'],
    },
  })
