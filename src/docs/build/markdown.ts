import { Marked } from 'marked'

import { html, ownHtml, type Html } from '../../pages/pages.js'
import { codeBlock } from '../code-block.js'
import type { BuiltPage } from '../page-file.js'
import type { Source } from './sources.js'

/** The URL of a link on the site, or null for a file that has no page. */
export type ResolveLink = (href: string, from: string) => string | null

/** A heading's anchor, in GitHub's format. */
const anchorOf = (title: string): string =>
  title
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(/\s/g, '-')

/** Plain text of Markdown, for titles and leads. */
const plain = (text: string): string =>
  text
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/[`*]/g, '')
    .replaceAll(/\s+/g, ' ')

const firstSentence = (text: string): string => plain(text).split(/(?<=\.) (?=\p{Lu})/u)[0] ?? ''

const tableOf = (head: readonly Html[], rows: readonly (readonly Html[])[]): Html => {
  // Markdown has no tables without a head, so an empty head is dropped
  const isHeaded = head.some(({ text }) => text !== '')
  return html`<div class="scroll" tabindex="0" role="group" aria-label="Table">
    <table>
      ${
        !isHeaded
          ? null
          : html`<thead>
              <tr>
                ${head.map((cell) => (cell.text === '' ? html`<td></td>` : html`<th scope="col">${cell}</th>`))}
              </tr>
            </thead>`
      }
      <tbody>
        ${rows.map(
          (row) =>
            html`<tr>
              ${row.map((cell) => html`<td>${cell}</td>`)}
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`
}

/** Converts a Markdown file to a page. HTML in it stays text: no tag gets through, whoever wrote it. */
export const renderMarkdown = ({ name, file }: Source, text: string, resolve: ResolveLink): BuiltPage => {
  const headings: { id: string; title: string; depth: number }[] = []
  let lead = ''
  const anchors = new Map<string, number>()
  const anchorFor = (title: string): string => {
    const anchor = anchorOf(title)
    const before = anchors.get(anchor) ?? 0
    anchors.set(anchor, before + 1)
    return before === 0 ? anchor : `${anchor}-${before}`
  }
  const marked = new Marked({
    renderer: {
      html: ({ text }) => html`${text}`.text,
      heading({ tokens, text, depth }) {
        const title = plain(text)
        const id = anchorFor(title)
        if (depth > 1) headings.push({ id, title, depth })
        const inner = ownHtml(this.parser.parseInline(tokens))
        const link = depth === 1 ? null : html`<a class="anchor" href="#${id}" aria-label="Link to “${title}”">#</a>`
        return html`${ownHtml(`<h${depth} id="${id}">`)}${inner} ${link}${ownHtml(`</h${depth}>`)}`.text
      },
      paragraph({ tokens, text }) {
        const inner = this.parser.parseInline(tokens)
        if (inner === '') return ''
        lead ||= firstSentence(text)
        return html`<p>${ownHtml(inner)}</p>`.text
      },
      code: ({ text, lang }) => codeBlock(text, lang ?? '').text,
      table({ header, rows }) {
        const cell = ({ tokens }: (typeof header)[number]) => ownHtml(this.parser.parseInline(tokens))
        return tableOf(
          header.map(cell),
          rows.map((row) => row.map(cell)),
        ).text
      },
      link({ href, tokens }) {
        const inner = ownHtml(this.parser.parseInline(tokens))
        const address = resolve(href, file)
        return (address === null ? inner : html`<a href="${address}">${inner}</a>`).text
      },
      image({ href, text }) {
        // a picture of the console: readers of the site have the console itself
        if (href.endsWith('.png')) return ''
        const address = resolve(href, file)
        if (address === null) throw new Error(`${file} shows a picture that is not on the site: ${href}`)
        return html`<img src="${address}" alt="${text}" />`.text
      },
    },
  })
  const body = marked.parse(text, { async: false })
  const title = plain(/^# (.+)$/m.exec(text)?.[1] ?? name)
  return { name, file, title, lead, headings, body }
}

/** A page for a file that is not Markdown, with its text unchanged. */
export const renderPlain = ({ name, file }: Source, text: string): BuiltPage => ({
  name,
  file,
  title: file,
  lead: '',
  headings: [],
  body: html`<h1>${file}</h1>
    ${codeBlock(text, '')}`.text,
})
