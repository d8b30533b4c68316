import type { AddressChange } from '../identity/address-change.js'
import { addressChangedMail } from '../identity/mails.js'
import { route } from '../layers/compose.js'
import type { Route } from '../layers/route.js'
import { addressConfirmedPage, newAddressPage } from '../pages/pages.js'
import { linkOver, lookAtLink, type Mailing } from './mailed-link.js'
import { SIGNING_IN } from './shared-layers.js'
import { requestOf } from './sign-in-request.js'
import { ConfirmEmail, ConfirmedEmail } from './sign-in-schemas.js'

/** GET and POST /auth/email/confirm. */
export const addressRoutes = ({
  addresses,
  sendMail,
  baseUrl,
}: Mailing & { readonly addresses: AddressChange }): readonly Route[] => {
  const { host } = new URL(baseUrl)
  return [
    lookAtLink({
      id: 'showEmailConfirmation',
      path: '/auth/email/confirm',
      summary: 'Show a link for confirming an address',
      find: addresses.find,
      page: (shown) => newAddressPage(host, shown),
    }),
    route({
      ...SIGNING_IN,
      path: '/auth/email/confirm',
      body: ConfirmEmail,
      accepts: ['json', 'form'],
      handle: async (input) => {
        const changed = await addresses.confirm(input.body.token, requestOf(input))
        if (changed === null) throw linkOver()
        sendMail?.(addressChangedMail(changed.old))
        return {
          status: 200,
          body: { email: changed.new },
          page: addressConfirmedPage(host, changed.new),
        }
      },
      documentation: {
        id: 'confirmEmail',
        refusals: ['gone'],
        example: { body: { token: 'from the mail' } },
        summary: 'Confirm a new address',
        description: 'With a link, once.',
        tag: 'sign-in',
        types: ['text/html'],
        response: ConfirmedEmail,
      },
    }),
  ]
}
