import { html, type Html } from '../pages/pages.js'

const COMMENTS: Readonly<Record<string, RegExp>> = { sh: /^#/, js: /^\/\//, ts: /^\/\// }

/**
 * Text in a fixed width, which scrolls if it is too wide. With scripts, it gets a copy button. Lines that are only a
 * comment are dimmed, in the languages `sh`, `js` and `ts`.
 */
export const codeBlock = (text: string, language: string, name = 'Code'): Html => {
  const comment = COMMENTS[language]
  const lines = text.replace(/\n$/, '').split('\n')
  const shown = lines.map((line, i) => {
    const end = i < lines.length - 1 ? '\n' : ''
    return comment?.test(line) ? html`<span class="comment">${line}</span>${end}` : `${line}${end}`
  })
  // prettier-ignore
  return html`<div class="code"><pre tabindex="0" role="group" aria-label="${name}"><code>${shown}</code></pre></div>`
}
