import type { Route } from '../layers/route.js'
import { TOKENS, css, documentOf, html, policyOf } from '../pages/pages.js'
import type { Html } from '../pages/pages.js'

const STYLE = css`
  ${TOKENS}
  body {
    font: 1rem/1.5 var(--sans);
    max-width: 60rem;
    margin: 2rem auto;
    padding: 0 1rem;
  }
  h2 {
    margin-top: 2.5rem;
    border-bottom: 1px solid var(--line);
  }
  article {
    margin: 1.25rem 0;
  }
  h3 {
    font: 600 1rem/1.4 var(--mono);
    margin: 0;
    overflow-wrap: anywhere;
  }
  h3 b {
    display: inline-block;
    min-width: 4.5rem;
  }
  p {
    margin: 0.25rem 0;
  }
  dl {
    display: grid;
    grid-template-columns: 6rem 1fr;
    gap: 0 1rem;
    margin: 0.5rem 0;
    padding: 0.5rem 0.75rem;
    background: var(--sunken);
    border-radius: 6px;
  }
  dt {
    color: var(--ink-3);
  }
  dd {
    margin: 0;
  }
  code {
    font: 0.9em var(--mono);
  }
`

const code = (text: string): Html => html`<code>${text}</code>`

const objectOf = ({ objectAction, andAction }: Route): Html => {
  const asked = [objectAction, andAction].filter((each) => each !== 'none')
  return asked.length === 0 ? html`none` : code(asked.map((each) => `can(user, '${each}', record)`).join(' and '))
}

const layersOf = (route: Route): readonly (readonly [layer: string, checks: Html])[] => [
  [
    'gateway',
    html`quota ${code(route.gateway.quota)},
    ${route.gateway.scope === 'public' ? 'no token needed' : html`scope ${code(route.gateway.scope)}`}`,
  ],
  ['endpoint', route.endpoint === 'none' ? html`none` : html`a row allows the role ${code(route.endpoint)}`],
  ['object', objectOf(route)],
  ['data', html`${route.dataRows}`],
]

const article = (route: Route): Html =>
  html`<article id="${route.method}${route.path}">
    <h3><b>${route.method.toUpperCase()}</b> ${route.path.replace(/:([a-z_]+)/g, '{$1}')}</h3>
    <p>${route.documentation.summary}. Answers ${route.status}.</p>
    <dl>
      ${layersOf(route).map(
        ([layer, checks]) =>
          html`<dt>${layer}</dt>
            <dd>${checks}</dd> `,
      )}
    </dl>
  </article> `

/** The page loads nothing but its own inline style, and the icon. */
export const DOCS_CONTENT_SECURITY_POLICY = policyOf(STYLE)

/** The route table as a page of HTML, without a script. */
export const docsPage = (routes: readonly Route[], baseUrl: string): string => {
  const tags = [...new Set(routes.map(({ documentation }) => documentation.tag))]
  const sections = tags.map((tag) => {
    const articles = routes.filter(({ documentation }) => documentation.tag === tag).map(article)
    return html`<h2>${tag}</h2>
      ${articles} `
  })
  const body = html`<body>
    <main>
      <h1>Linkgate</h1>
      <p>
        The service at ${code(baseUrl)}. Every request passes four layers, in this order, and any of them can refuse it:
        gateway (429, 401, 403), endpoint (403), object (404, 403), data (only rows that the caller may reach).
      </p>
      <p>
        For programs: <a href="/openapi.json">/openapi.json</a> (OpenAPI 3.1) has every field and answer. Errors are
        ${code('application/problem+json')} with a stable ${code('code')}; a browser gets a page instead.
      </p>
      ${sections}
    </main>
  </body>`
  return documentOf({ language: 'en', title: 'Linkgate: the API', style: STYLE, indexed: false, body })
}
