import { pauseEvery } from '../domain/pause-every.js'
import { html, type Html, type Page } from '../pages/pages.js'
import { readApiDocument, type ApiDocument } from './api-document.js'
import { docsPageOf } from './layout.js'
import { operationArticle } from './operation-article.js'
import type { BuiltSite } from './page-file.js'
import { prose, withoutMarks } from './prose.js'
import { aboutFirstLink, aboutLayers, aboutProblems, aboutSigningIn } from './reference-start.js'

/** The operations of each tag that has any. */
const groupsOf = ({ tags, operations }: ApiDocument) =>
  tags
    .map((tag) => ({ ...tag, operations: operations.filter((operation) => operation.tags[0] === tag.name) }))
    .filter((group) => group.operations.length > 0)

const titleOf = (name: string): string => `${name.slice(0, 1).toUpperCase()}${name.slice(1).replaceAll('-', ' ')}`
const idOf = (name: string): string => `tag-${name.replaceAll(/\W+/g, '-')}`

const START = [
  ['signing-in', 'Signing in'],
  ['first-link', 'A first link'],
  ['layers', 'Four layers'],
  ['problems', 'Refusals'],
] as const

const contentsOf = (groups: ReturnType<typeof groupsOf>): Html =>
  html`<search hidden>
      <label for="search">Search operations <kbd>/</kbd></label>
      <input id="search" type="search" autocomplete="off" spellcheck="false" aria-keyshortcuts="/" />
      <p id="found" role="status"></p>
    </search>
    <ul data-about>
      ${START.map(([id, title]) => html`<li><a href="#${id}">${title}</a></li>`)}
    </ul>
    ${groups.map(
      ({ name, operations }) =>
        html`<div data-group>
          <h2><a href="#${idOf(name)}">${titleOf(name)}</a></h2>
          <ul>
            ${operations.map(
              ({ operationId, method, summary }) =>
                html`<li>
                  <a href="#${operationId}"><b class="method">${method}</b> <span>${withoutMarks(summary)}</span></a>
                </li>`,
            )}
          </ul>
        </div>`,
    )}`

/** The API reference, generated only from its OpenAPI document. Other requests are answered in between. */
export const referencePage = async (json: unknown, { copy, search, send }: BuiltSite['scripts']): Promise<Page> => {
  const document = await readApiDocument(json)
  const { info, servers } = document
  const baseUrl = servers[0]?.url ?? ''
  const groups = groupsOf(document)
  const pause = pauseEvery(1)
  const sections: Html[] = []
  for (const { name, description, operations } of groups) {
    const articles: Html[] = []
    for (const operation of operations) {
      await pause()
      articles.push(operationArticle(operation, baseUrl))
    }
    sections.push(
      html`<section class="group" data-group aria-labelledby="${idOf(name)}">
        <h2 id="${idOf(name)}">${titleOf(name)}</h2>
        ${prose(description)} ${articles}
      </section>`,
    )
  }
  const main = html`<div class="intro" data-about>
      <h1>API reference</h1>
      ${prose(info.description)}
      <p>
        Version ${info.version}, at <code>${baseUrl}</code>. This page is made from
        <a href="/openapi.json">openapi.json</a> (OpenAPI 3.1), which programs read.
      </p>
      ${aboutSigningIn(document, baseUrl)} ${aboutFirstLink(baseUrl)} ${aboutLayers()} ${aboutProblems(document)}
    </div>
    ${sections}`
  return docsPageOf({
    title: 'API reference',
    part: 'reference',
    contents: contentsOf(groups),
    contentsName: 'Operations',
    main,
    scripts: [copy, search, send],
  })
}
