import { expect } from 'chai'
import * as fc from 'fast-check'

import { css, html, previewPage, refusalPage, textsIn } from '../../src/pages/pages.js'

/** Text as whoever means harm writes it, and any other. */
const anyText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 200 }),
  fc
    .array(fc.constantFrom('<script>', '</title>', '"', "'", '`', '&', '&lt;', '<!--', ' onload=', '>', '\n', 'é'))
    .map((parts) => parts.join('')),
)

/** What a reader of HTML makes of text in which everything that matters is a numeric reference. */
const read = (text: string): string =>
  text.replace(/&(?:#(\d+);)?/g, (_, number: string | undefined) => {
    if (number === undefined) throw new Error(`a bare & in ${text}`)
    return String.fromCharCode(Number(number))
  })

/** A page without what it says. */
const tagsOf = (page: string): readonly string[] => page.match(/<[^>]*>/g) ?? []

describe('the HTML of pages', () => {
  it('has every value as text, in an element and in an attribute', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const written = html`<p title="${text}">${[text]}</p>`.text
        const [, attribute = '', content = ''] = /^<p title="([^"<>'`]*)">([^"<>'`]*)<\/p>$/.exec(written) ?? []
        expect([read(attribute), read(content)]).to.deep.equal([text, text])
      }),
    )
  })

  it('has what was made by the same tag as it is, and nothing for what is absent', () => {
    const lines = [1, 2].map((each) => html`<b>${each}</b>`)
    expect(html`<i>${lines}${null}${undefined}</i>`.text).to.equal('<i><b>1</b><b>2</b></i>')
    // an object that only looks like it, such as one out of JSON
    const forged: unknown = JSON.parse('[{"text":"<b>"}]')
    const pieces = Array.isArray(forged) ? forged : []
    expect(() => html`${pieces}`.text).to.throw()
    const sheet = css`
      a {
      }
      ${css`
        b > c {
        }
      `}
    `
    expect(sheet.text.replaceAll(/\s/g, '')).to.equal('a{}b>c{}')
  })

  it('is the same whatever a link is called and wherever it leads', () => {
    const preview = (title: string, path: string) =>
      previewPage({ code: 'launch', target: `https://example.com/${path}`, title }, 'go.example.com')(textsIn('en'))
        .text
    const plain = tagsOf(preview('Autumn', 'autumn'))
    fc.assert(
      fc.property(anyText, anyText, (title, path) => {
        fc.pre(title !== '')
        const page = preview(title, path)
        expect(tagsOf(page)).to.deep.equal(plain)
        expect(read(/<bdi>([^<]*)<\/bdi>/.exec(page)?.[1] ?? '')).to.equal(title)
      }),
    )
  })

  it('is the same whatever names a host, a code or a request', () => {
    const page = (text: string) =>
      refusalPage({
        code: 'wrong_password',
        status: 403,
        retryAfter: undefined,
        about: 'link',
        linkCode: text,
        host: text,
        requestId: text,
      })(textsIn('en')).text
    const plain = tagsOf(page('x'))
    fc.assert(
      fc.property(anyText, (text) => {
        expect(tagsOf(page(text))).to.deep.equal(plain)
      }),
    )
  })
})
