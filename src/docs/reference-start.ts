import { html, type Html } from '../pages/pages.js'
import type { ApiDocument } from './api-document.js'
import { codeBlock } from './code-block.js'
import { bodyTable } from './field-table.js'
import { inline } from './prose.js'
import { allRefusals } from './refusal-table.js'

const TOKEN_PATH = '/auth/token'

const byPassword = (baseUrl: string): Html =>
  html`<p>
      You need an account. An admin can <a href="#inviteUser">invite</a> you; the first admin’s account was created when
      the service was started for the first time, and that start printed how to sign in with it.
    </p>
    <p>
      Send your address and password to the token endpoint,
      <a href="#requestToken"><code>POST ${TOKEN_PATH}</code></a> (OAuth 2.0, RFC 6749). It returns an access token,
      which is valid for 15 minutes, and a refresh token for getting the next one.
    </p>
    ${codeBlock(
      `# the password is in a file, not in the shell's history; tr removes the end of the line
ANSWER=$(tr -d '\\n' < password-file | curl -s ${baseUrl}${TOKEN_PATH} \\
  -d grant_type=password -d username=ada@example.com --data-urlencode password@-)
TOKEN=$(echo "$ANSWER" | sed -n 's/.*"access_token":"\\([^"]*\\)".*/\\1/p')
# if there is no token, the answer says why
[ -n "$TOKEN" ] || echo "$ANSWER"

curl ${baseUrl}/users/me -H "Authorization: Bearer $TOKEN"`,
      'sh',
      'Signing in with curl',
    )}`

const withClient = (baseUrl: string, hasOwnIssuer: boolean): string =>
  hasOwnIssuer
    ? `import { createClient } from 'linkgate/client'

const client = createClient({ baseUrl: '${baseUrl}' })
// keeps the access token fresh; with a token of yours: createClient({ baseUrl, token })
await client.signIn({ email: 'ada@example.com', password })`
    : `import { createClient } from 'linkgate/client'

const client = createClient({ baseUrl: '${baseUrl}', token })`

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

/** How to get a token, with the form that gives one to the page. */
export const aboutSigningIn = ({ operations }: ApiDocument, baseUrl: string): Html => {
  const hasOwnIssuer = operations.some(({ path }) => path === TOKEN_PATH)
  return html`<section aria-labelledby="signing-in">
    <h2 id="signing-in">Signing in</h2>
    <p>
      Every request that is not public carries one bearer token, in the <code>Authorization</code> header and nowhere
      else. It may do what both the token’s scopes and the user’s role allow.
    </p>
    ${
      hasOwnIssuer ? byPassword(baseUrl) : html`<p>Tokens come from the OpenID Connect issuer of this installation.</p>`
    }
    ${codeBlock(withClient(baseUrl, hasOwnIssuer), 'js', 'Signing in with the client')}
    <p>
      Programs use a <a href="#createPersonalToken">personal token</a>, which lives longer and is sent the same way.
      <a href="/docs/signing-in">Signing in</a> has the details, and
      <a href="/docs/client">A client for programs</a> says how to install the client. For other languages, generate one
      from <a href="/openapi.json">openapi.json</a>.
    </p>
    <div class="scripted card" id="token-area" hidden>
      <h3>Try requests from this page</h3>
      <p>The token is kept only in this page’s memory, until you leave or reload the page.</p>
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

/** Commands for creating and changing a link, to be copied line by line. */
export const aboutFirstLink = (baseUrl: string): Html =>
  html`<section aria-labelledby="first-link">
    <h2 id="first-link">A first link</h2>
    <p>
      A response with a link has an <code>ETag</code>, which names its version. If you send it as <code>If-Match</code>,
      your change is refused (412) if somebody else has changed the link since; without it, the last change wins. Read
      the link with your token: without one you see less of it, with another <code>ETag</code>.
    </p>
    ${codeBlock(
      `# -i shows the headers
curl -i ${baseUrl}/links -H "Authorization: Bearer $TOKEN" \\
  -H "Content-Type: application/json" -d '{"target": "https://example.com/spring", "code": "spring"}'

# its ETag, with the quotes
ETAG=$(curl -si ${baseUrl}/links/spring -H "Authorization: Bearer $TOKEN" \\
  | tr -d '\\r' | sed -n 's/^[Ee][Tt]ag: //p')
curl -i -X PATCH ${baseUrl}/links/spring -H "Authorization: Bearer $TOKEN" -H "If-Match: $ETAG" \\
  -H "Content-Type: application/json" -d '{"title": "Spring"}'

# all links that you may change, and where the short URL leads
curl ${baseUrl}/links -H "Authorization: Bearer $TOKEN"
curl -i ${baseUrl}/spring`,
      'sh',
      'A first link with curl',
    )}
    ${codeBlock(
      `const spring = await client.createLink({ target: 'https://example.com/spring', code: 'spring' })
await client.updateLink('spring', { title: 'Spring' }, { ifMatch: spring })
for await (const link of client.listLinks()) console.log(link.url)`,
      'js',
      'A first link with the client',
    )}
  </section>`

interface LayerInWords {
  readonly name: string
  readonly question: string
  /** the refusal, and what the caller can do */
  readonly refusal: string
}

const LAYERS: readonly LayerInWords[] = [
  {
    name: 'gateway',
    question: 'How often, who, and with which scope? Limits come first, then the token.',
    refusal:
      '429: wait as long as `Retry-After` says. 401: send a live token. 403 `insufficient_scope`: the token needs a ' +
      'scope, which the detail names.',
  },
  {
    name: 'endpoint',
    question: 'May this role call this at all? A row of the policy says so.',
    refusal: '403 `role_not_allowed`: an admin can give you another role, or the role another row.',
  },
  {
    name: 'object',
    question: 'Is there such a record, and does the policy allow this action on it? `can()` decides.',
    refusal: '404 `not_found`. 403 `policy_denied`: `rule` names the rule; R5 means that it belongs to somebody else.',
  },
  {
    name: 'data',
    question: 'The database returns and changes only rows that the caller may reach.',
    refusal: 'Lists leave out what is out of reach. 409, 412: the record changed, or conflicts with another one.',
  },
]

/** The layers of a request, in order. */
export const aboutLayers = (): Html =>
  html`<section aria-labelledby="layers">
    <h2 id="layers">Four layers</h2>
    <p>
      Every request passes four layers, in this order. Each of them can refuse it. Every operation below says what each
      layer checks.
    </p>
    <ol class="layers">
      ${LAYERS.map(
        ({ name, question, refusal }) =>
          html`<li>
            <b>${name}</b>
            <span>${inline(question)} <span class="aside">${inline(refusal)}</span></span>
          </li>`,
      )}
    </ol>
    <p>
      Requests with a token count against its user, others against their address, and attempts to sign in against both
      the address and the account. The <code>RateLimit</code> header of each response says what is left:
      <code>"user";r=599;t=60</code> means 599 requests in the next 60 seconds.
    </p>
  </section>`

const PROBLEM = {
  type: 'urn:linkgate:problem:policy_denied',
  title: 'The policy denies this',
  status: 403,
  detail: 'R5 denies link:delete to the role editor on a record that is not theirs.',
  code: 'policy_denied',
  rule: 'R5',
  request_id: '92448fc6-1efa-4d77-99a7-e552f2dfcaa2',
}

/** The format of a refusal. */
export const aboutProblems = ({ operations, problem }: ApiDocument): Html =>
  html`<section aria-labelledby="problems">
    <h2 id="problems">Refusals</h2>
    <p>
      A refusal is <code>application/problem+json</code> (RFC 9457). Programs read its <code>code</code>, whose meaning
      never changes; people read <code>title</code> and <code>detail</code>. With the <code>request_id</code>, an
      auditor can find out <a href="#explainRequest">why</a> the request was refused. A browser that prefers HTML gets a
      page instead. Text in a request must not contain the NUL character.
    </p>
    ${codeBlock(JSON.stringify(PROBLEM, null, 2), 'json', 'A refusal')}
    ${bodyTable('Fields of a refusal', problem, 'answer')} ${allRefusals(operations)}
  </section>`
