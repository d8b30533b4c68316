import { html, ownHtml, type Html, type Page } from '../pages/pages.js'
import { CONTENTS, type Readers } from './contents.js'
import { docsPageOf } from './layout.js'
import type { BuiltPage, BuiltSite } from './page-file.js'

type Entry = Pick<BuiltPage, 'name' | 'title' | 'lead'>

interface List extends Omit<Readers, 'pages'> {
  readonly entries: readonly Entry[]
}

const isDecision = ({ file }: BuiltPage): boolean => file.startsWith('docs/decisions/')

const DECISIONS: Entry = {
  name: 'decisions',
  title: 'Decisions',
  lead: 'Why it is built this way, one page for each decision.',
}

/** The lists of contents; pages in none of them come last. */
const listsOf = (pages: readonly BuiltPage[]): readonly List[] => {
  const entries = new Map<string, Entry>([...pages.map((page) => [page.name, page] as const), ['decisions', DECISIONS]])
  const lists = CONTENTS.map((readers) => ({
    ...readers,
    entries: readers.pages.flatMap((name) => entries.get(name) ?? []),
  }))
  const named = new Set(lists.flatMap(({ entries }) => entries.map(({ name }) => name)))
  const rest = pages.filter((page) => !named.has(page.name) && !isDecision(page))
  if (rest.length === 0) return lists
  return [...lists, { id: 'more', title: 'More', lead: 'Pages that are in no list above.', entries: rest }]
}

const entryLink = ({ name, title }: Entry, current: string): Html =>
  name === current
    ? html`<a href="/docs/${name}" aria-current="page">${title}</a>`
    : html`<a href="/docs/${name}">${title}</a>`

const contentsOf = (lists: readonly List[], current: string): Html =>
  html`${lists.map(
    ({ title, entries }) =>
      html`<h2>${title}</h2>
        <ul>
          ${entries.map((entry) => html`<li>${entryLink(entry, current)}</li>`)}
        </ul>`,
  )}`

const onThisPage = ({ headings }: BuiltPage): Html | null => {
  const shown = headings.filter(({ depth }) => depth <= 3)
  if (shown.length < 3) return null
  return html`<nav class="on-page" aria-label="On this page">
    <details>
      <summary>On this page</summary>
      <ul>
        ${shown.map(
          ({ id, title, depth }) =>
            html`<li class="${depth === 3 ? 'deeper' : 'top-level'}"><a href="#${id}">${title}</a></li>`,
        )}
      </ul>
    </details>
  </nav>`
}

const pageOf = (lists: readonly List[], name: string, title: string, main: Html, copy: string): Page =>
  docsPageOf({
    title,
    part: 'guides',
    contents: contentsOf(lists, name),
    contentsName: 'Guides',
    main,
    scripts: [copy],
  })

const startPage = (lists: readonly List[], copy: string): Page => {
  const main = html`<h1>Guides</h1>
    <p>
      What to read first depends on who you are. The <a href="/docs">API reference</a> has every operation, field and
      refusal.
    </p>
    ${lists.map(
      ({ id, title, lead, entries }) =>
        html`<section class="readers" aria-labelledby="${id}">
          <h2 id="${id}">${title}</h2>
          <p>${lead}</p>
          <ul>
            ${entries.map(
              (entry) =>
                html`<li>${entryLink(entry, '')}${entry.lead === '' ? null : html` <span>${entry.lead}</span>`}</li>`,
            )}
          </ul>
        </section>`,
    )}`
  return pageOf(lists, 'guides', 'Guides', main, copy)
}

const decisionsPage = (lists: readonly List[], pages: readonly BuiltPage[], copy: string): Page => {
  const main = html`<h1>${DECISIONS.title}</h1>
    <p>${DECISIONS.lead}</p>
    <ul>
      ${pages.filter(isDecision).map((page) => html`<li>${entryLink(page, '')}</li>`)}
    </ul>`
  return pageOf(lists, 'decisions', DECISIONS.title, main, copy)
}

/** All pages except the reference, by name: those of files, and the two that list them. */
export const guidePages = ({ pages, scripts: { copy } }: BuiltSite): ReadonlyMap<string, () => Page> => {
  const lists = listsOf(pages)
  return new Map([
    ['guides', () => startPage(lists, copy)],
    ['decisions', () => decisionsPage(lists, pages, copy)],
    ...pages.map((page) => {
      const main = () =>
        html`<div class="guide">
          ${onThisPage(page)}
          <div class="text">${ownHtml(page.body)}</div>
        </div>`
      return [page.name, () => pageOf(lists, page.name, page.title, main(), copy)] as const
    }),
  ])
}
