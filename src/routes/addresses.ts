import { z } from 'zod'

import { networkOf } from '../domain/network.js'
import { Refusal } from '../domain/refusal.js'
import type { AddressChange } from '../identity/address-change.js'
import type { SendMail } from '../identity/mailer.js'
import { addressChangedMail } from '../identity/mails.js'
import { route } from '../layers/compose.js'
import { NO_DATA, NO_INPUT, NO_OBJECT } from '../layers/route.js'
import type { Route } from '../layers/route.js'
import { addressConfirmedPage, newAddressPage } from '../pages/pages.js'
import { LinkToken, Time, textIn } from './schemas.js'

const linkOver = (): Refusal =>
  new Refusal('gone', { detail: 'The link was used or has expired, or there never was one. Ask for another.' })

const open = {
  path: '/auth/email/confirm',
  status: 200,
  ...NO_INPUT,
  endpoint: 'none',
  object: NO_OBJECT,
  data: NO_DATA,
} as const

/** GET and POST /auth/email/confirm. */
export const addressRoutes = ({
  addresses,
  sendMail,
  baseUrl,
}: {
  readonly addresses: AddressChange
  /** undefined without an SMTP server */
  readonly sendMail: SendMail | undefined
  readonly baseUrl: string
}): readonly Route[] => {
  const { host } = new URL(baseUrl)
  return [
    route({
      ...open,
      method: 'get',
      gateway: { scope: 'public', quota: 'caller' },
      query: z.strictObject({ token: LinkToken }),
      handle: async ({ query: { token } }) => {
        const link = await addresses.find(token)
        if (link === null) throw linkOver()
        const { email, expiresAt } = link
        return {
          status: 200,
          body: { email, expires_at: expiresAt.toISOString() },
          page: newAddressPage(host, { token, email }),
          headers: { 'Cache-Control': 'no-store' },
        }
      },
      documentation: {
        summary:
          'Look at a link to confirm a new address, which stays as it is; for a browser, a page to confirm it on',
        tag: 'sign-in',
        types: ['text/html'],
        response: z.object({ email: z.string(), expires_at: Time }),
        refusals: [410],
      },
    }),
    route({
      ...open,
      method: 'post',
      gateway: { scope: 'public', quota: 'sign_in' },
      body: z.strictObject({ token: LinkToken }),
      accepts: ['json', 'form'],
      form: (_faults, sent) => newAddressPage(host, { token: textIn(sent, 'token'), email: '' }),
      handle: async ({ body: { token }, caller, requestId, deadline }) => {
        const request = { id: requestId, network: networkOf(caller.address), deadline }
        const changed = await addresses.confirm(token, request)
        if (changed === null) throw linkOver()
        sendMail?.(addressChangedMail(changed.old))
        return {
          status: 200,
          body: { email: changed.new },
          page: addressConfirmedPage(host, changed.new),
          headers: { 'Cache-Control': 'no-store' },
        }
      },
      documentation: {
        summary: 'Confirm a new address by a link, once',
        tag: 'sign-in',
        types: ['text/html'],
        response: z.object({ email: z.string() }),
        refusals: [410],
      },
    }),
  ]
}
