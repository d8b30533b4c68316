import { html, type Html } from '../pages/pages.js'
import type { ApiOperation } from './api-document.js'

const code = (text: string): Html => html`<code>${text}</code>`

const endpointOf = ({ endpoint }: ApiOperation['x-layers']): Html => {
  if (endpoint === 'none') return html`nothing to check`
  const action = endpoint === 'items' ? html`the action of the items` : code(endpoint)
  return html`a policy row allows ${action} to the caller’s role`
}

const objectOf = ({ object, and }: ApiOperation['x-layers']): Html => {
  if (object === 'items') return html`${code('can(user, action, record)')} for each item`
  const asked = [object, and].filter((each) => each !== undefined && each !== 'none')
  return asked.length === 0
    ? html`nothing to check`
    : html`${code(asked.map((action) => `can(user, '${action}', record)`).join(' and '))}`
}

const QUOTAS: Readonly<Record<string, string>> = {
  caller: 'for the caller',
  sign_in: 'as an attempt to sign in',
  invite: 'for the caller, and as an invitation',
  redirect: 'for the caller',
  probe: 'for the caller, unless the request comes from this machine',
  file: 'for the caller if a token is sent, otherwise not counted: pages load many files at once',
}

/** The checks of the four layers, in the order in which a request passes them. */
export const layerList = ({ 'x-layers': layers }: ApiOperation): Html => {
  const { gateway, data, part } = layers
  const token =
    gateway.scope === 'public'
      ? html`no token needed`
      : gateway.scope === 'items'
        ? html`a token with the scope of the items’ action`
        : html`a token with the scope ${code(gateway.scope)}`
  const ownPages = gateway.from === undefined ? '' : '; only pages of this service may send it'
  const checks = [
    ['gateway', html`${token}; counted ${QUOTAS[gateway.quota] ?? code(gateway.quota)}${ownPages}`],
    ['endpoint', endpointOf(layers)],
    [
      'object',
      part === undefined
        ? objectOf(layers)
        : html`${objectOf(layers)}; for an optional part of the response, ${code(part)} as well`,
    ],
    ['data', html`${data}`],
  ] as const
  return html`<ol class="layers" aria-label="Layers">
    ${checks.map(
      ([layer, check]) =>
        html`<li>
          <b>${layer}</b>
          <span>${check}</span>
        </li>`,
    )}
  </ol>`
}
