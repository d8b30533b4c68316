import { createHash } from 'node:crypto'

import type { Route } from '../layers/route.js'

const STYLE = `
:root { color-scheme: light dark; --line: #8884; --soft: #8882 }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem }
h2 { margin-top: 2.5rem; border-bottom: 1px solid var(--line) }
article { margin: 1.25rem 0 }
h3 { font: 600 1rem/1.4 ui-monospace, monospace; margin: 0; overflow-wrap: anywhere }
h3 b { display: inline-block; min-width: 4.5rem }
p { margin: .25rem 0 }
dl {
  display: grid; grid-template-columns: 6rem 1fr; gap: 0 1rem; margin: .5rem 0; padding: .5rem .75rem;
  background: var(--soft); border-radius: .5rem
}
dt { opacity: .7 } dd { margin: 0 }
code { font: .9em ui-monospace, monospace }
`

const NOTHING_ELSE = "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

const escape = (text: string): string => text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
const code = (text: string): string => `<code>${escape(text)}</code>`

const layersOf = (route: Route): readonly (readonly [layer: string, checks: string])[] => [
  [
    'gateway',
    [
      `quota ${code(route.gateway.quota)}`,
      route.gateway.scope === 'public' ? 'no token needed' : `scope ${code(route.gateway.scope)}`,
    ].join(', '),
  ],
  ['endpoint', route.endpoint === 'none' ? 'none' : `a row allows the role ${code(route.endpoint)}`],
  ['object', route.objectAction === 'none' ? 'none' : code(`can(user, '${route.objectAction}', record)`)],
  ['data', escape(route.dataRows)],
]

const article = (route: Route): string => `
<article id="${escape(`${route.method}${route.path}`)}">
<h3><b>${route.method.toUpperCase()}</b> ${escape(route.path.replace(/:([a-z_]+)/g, '{$1}'))}</h3>
<p>${escape(route.documentation.summary)}. Answers ${route.status}.</p>
<dl>${layersOf(route)
  .map(([layer, checks]) => `<dt>${layer}</dt><dd>${checks}</dd>`)
  .join('')}</dl>
</article>`

const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64')

/** The page loads nothing but its own inline style. */
export const DOCS_CONTENT_SECURITY_POLICY = `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; ${NOTHING_ELSE}`

/** The route table as a page of HTML, without a script. */
export const docsPage = (routes: readonly Route[], baseUrl: string): string => {
  const tags = [...new Set(routes.map(({ documentation }) => documentation.tag))]
  const sections = tags.map((tag) => {
    const articles = routes.filter(({ documentation }) => documentation.tag === tag).map(article)
    return `<h2>${escape(tag)}</h2>${articles.join('')}`
  })
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Linkgate: the API</title><style>${STYLE}</style></head>
<body><h1>Linkgate</h1>
<p>The service at ${code(baseUrl)}. Every request passes four layers, in this order, and any of them can refuse it:
gateway (429, 401, 403), endpoint (403), object (404, 403), data (only rows that the caller may reach).</p>
<p>For programs: <a href="/openapi.json">/openapi.json</a> (OpenAPI 3.1) has every field and answer. Errors are
${code('application/problem+json')} with a stable ${code('code')}.</p>
${sections.join('\n')}
</body></html>
`
}
