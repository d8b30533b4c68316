import { html, type Html, type Piece } from '../pages/pages.js'

/** Text with `code` in backticks, as in descriptions. */
export const inline = (text: string): Piece =>
  text.split('`').map((part, i) => (i % 2 === 1 ? html`<code>${part}</code>` : part))

/** Text without backticks, for places that cannot contain code. */
export const withoutMarks = (text: string): string => text.replaceAll('`', '')

/** Paragraphs, and lists of lines that begin with `- `. Tables are left out, because the page has its own. */
export const prose = (text: string | undefined): readonly Html[] =>
  (text ?? '')
    .split(/\n{2,}/)
    .filter((block) => block.trim() !== '' && !block.startsWith('|'))
    .map((block) =>
      block.startsWith('- ')
        ? html`<ul>
            ${block
              .slice(2)
              .split(/\n- /)
              .map((item) => html`<li>${inline(item)}</li>`)}
          </ul>`
        : html`<p>${inline(block)}</p>`,
    )
