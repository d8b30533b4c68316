import { html } from '../pages/pages.js'
import type { Html } from '../pages/pages.js'
import type { ApiDocument } from './api-document.js'
import { codeBlock } from './code-block.js'
import { bodyTable } from './field-table.js'

const TOKEN_PATH = '/auth/token'

const byPassword = (baseUrl: string): Html =>
  html`<p>
      Ask the token endpoint, <a href="#requestToken"><code>POST ${TOKEN_PATH}</code></a
      >, with your address and password (OAuth 2.0, RFC 6749). It answers an access token for 15 minutes and a refresh
      token for the next one.
    </p>
    ${codeBlock(
      `# the password stands in a file, not in the shell's history
curl ${baseUrl}${TOKEN_PATH} \\
  -d grant_type=password -d username=ada@example.com \\
  --data-urlencode password@password-file

# TOKEN is the access_token of the answer
curl ${baseUrl}/users/me -H "Authorization: Bearer $TOKEN"`,
      'sh',
      'Signing in with curl',
    )}`

const signInForm = html`<form id="sign-in" data-path="${TOKEN_PATH}" autocomplete="off">
  <label>
    <span>E-mail address</span>
    <input name="username" data-in="form" type="email" autocomplete="off" required />
  </label>
  <label>
    <span>Password</span>
    <input name="password" data-in="form" type="password" autocomplete="off" required />
  </label>
  <button class="main" type="submit">Sign in</button>
</form>`

/** How a caller gets a token, and the form that gives one to the page. */
export const aboutSigningIn = ({ operations }: ApiDocument, baseUrl: string): Html => {
  const hasOwnIssuer = operations.some(({ path }) => path === TOKEN_PATH)
  return html`<section aria-labelledby="signing-in">
    <h2 id="signing-in">Signing in</h2>
    <p>
      A request that is not public carries one bearer token, in the <code>Authorization</code> header and nowhere else.
      It may do what the token’s scopes and the user’s role allow.
    </p>
    ${
      hasOwnIssuer ? byPassword(baseUrl) : html`<p>Tokens come from the OpenID Connect issuer of this installation.</p>`
    }
    ${codeBlock(
      `import { createClient } from 'linkgate/client'\n\nconst client = createClient({ baseUrl: '${baseUrl}', token })`,
      'js',
      'Signing in with the client',
    )}
    <p>
      Programs use a <a href="#createPersonalToken">personal token</a>, which lives longer and is sent the same way.
      <a href="/docs/signing-in">Signing in</a> says all of it.
    </p>
    <div class="scripted card" id="token-area" hidden>
      <h3>Try requests from this page</h3>
      <p>The token stays in this page’s memory, and is gone when you leave or reload it.</p>
      <div class="forms">
        ${hasOwnIssuer ? signInForm : null}
        <form id="keep-token" autocomplete="off">
          <label>
            <span>${hasOwnIssuer ? 'Or a token that you have' : 'Your token'}</span>
            <input name="token" data-in="token" type="password" autocomplete="off" required />
          </label>
          <button type="submit">Use it</button>
        </form>
      </div>
      <p><span id="token-state" role="status"></span> <button type="button" id="forget" hidden>Forget it</button></p>
    </div>
  </section>`
}

const LAYERS = [
  ['gateway', '429, 401, 403', 'How often, who, and with which scope? Limits come first, then the token.'],
  ['endpoint', '403', 'May this role call this at all? A row of the policy says so.'],
  ['object', '404, 403', 'Is there such a record, and does the policy allow this with it? can() decides.'],
  ['data', 'rows that are not there', 'The database gives and changes only rows that the caller may reach.'],
] as const

/** What a request passes, in order. */
export const aboutLayers = (): Html =>
  html`<section aria-labelledby="layers">
    <h2 id="layers">Four layers</h2>
    <p>
      Every request passes four layers, in this order. Each of them can refuse it alone, and every operation below says
      what each of them checks.
    </p>
    <ol class="layers">
      ${LAYERS.map(
        ([name, status, question]) =>
          html`<li>
            <b>${name}</b>
            <span>${question} <span class="aside">${status}</span></span>
          </li>`,
      )}
    </ol>
  </section>`

const PROBLEM = {
  type: 'urn:linkgate:problem:policy_denied',
  title: 'The policy denies this',
  status: 403,
  code: 'policy_denied',
  request_id: '92448fc6-1efa-4d77-99a7-e552f2dfcaa2',
}

/** What a refused caller gets. */
export const aboutProblems = ({ resolve }: ApiDocument): Html => {
  const problem = resolve({ $ref: '#/components/schemas/Problem' })
  return html`<section aria-labelledby="problems">
    <h2 id="problems">Refusals</h2>
    <p>
      A refusal is <code>application/problem+json</code> (RFC 9457). Its <code>code</code> never changes its meaning:
      programs read the code, people read <code>title</code> and <code>detail</code>. A browser that prefers HTML gets a
      page instead.
    </p>
    ${codeBlock(JSON.stringify(PROBLEM, null, 2), 'json', 'A refusal')}
    ${bodyTable('Fields of a refusal', problem, resolve, 'answer')}
  </section>`
}
