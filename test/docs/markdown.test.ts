import { expect } from 'chai'
import { array, assert, constantFrom, property } from 'fast-check'

import { renderMarkdown, renderPlain } from '../../src/docs/build/markdown.js'

const SOURCE = { name: 'page', file: 'docs/page.md' }
const resolve = (href: string) => (href === 'other.md' ? '/docs/other' : null)
const bodyOf = (text: string) => renderMarkdown(SOURCE, text, resolve).body

/** A tag that the pages are made of, with attributes that do nothing by themselves. */
const OWN_TAG = new RegExp(
  String.raw`^</?(?:h[1-6]|p|a|code|pre|div|em|strong|del|[uo]l|li|hr|br|table|thead|tbody|tr|th|td|blockquote|span)` +
    String.raw`(?:\s+(?:id|href|aria-label|class|tabindex|role|scope|start)="[^"<>]*")*\s*/?>$`,
)

describe('a page of Markdown', () => {
  it('lets no HTML through: a tag is shown as text', () => {
    for (const text of ['<script>alert(1)</script>', 'a <img src=x onerror=alert(1)> b', '<!-- x --> a', '<b>bold</b>'])
      expect(bodyOf(text)).to.not.match(/<(?:script|img|b|!--)/)
  })

  it('holds tags of its own making alone, whatever the text', () => {
    const pieces = [
      '<',
      '>',
      '"',
      "'",
      '&',
      '`',
      '#',
      '*',
      '[',
      ']',
      '(',
      ')',
      '!',
      '|',
      '\n',
      ' ',
      'a',
      'script',
      'javascript:',
      '-',
    ]
    assert(
      property(array(constantFrom(...pieces), { maxLength: 40 }), (parts) => {
        const text = `# Title\n\n${parts.join('')}`
        let body = ''
        try {
          ;({ body } = renderMarkdown(SOURCE, text, resolve))
        } catch (error) {
          // a picture that is not on the site ends the build
          expect(String(error)).to.include('shows a picture')
        }
        for (const [tag] of body.matchAll(/<[^>]*>/g)) expect(tag).to.match(OWN_TAG)
        expect(body).to.not.match(/(?:href|src)="(?!#|\/docs\/)/)
      }),
    )
  })

  it('follows a link to a page and shows the text of every other one', () => {
    expect(bodyOf('[x](other.md)')).to.include('<a href="/docs/other">x</a>')
    expect(bodyOf('[x](../Dockerfile) [y](javascript:alert(1))')).to.equal('<p>x y</p>')
  })

  it('leaves out pictures of the screen, with the paragraph that they alone make', () => {
    const text = '# T\n\n![The list](pictures/list.png)\n\nFirst ![it](x.png) said.'
    const { body, lead } = renderMarkdown(SOURCE, text, resolve)
    expect(body).to.match(/<\/h1>\s*<p>First {2}said.<\/p>$/)
    expect(lead).to.not.include('list')
  })

  it('gives headings the anchors that GitHub gives, each once', () => {
    const { headings, title } = renderMarkdown(
      SOURCE,
      '# A `b`\n\n## What’s new?\n\n## What’s new?\n\n### C, D',
      resolve,
    )
    expect(title).to.equal('A b')
    expect(headings.map(({ id }) => id)).to.deep.equal(['whats-new', 'whats-new-1', 'c-d'])
  })

  it('takes the first sentence as its lead', () => {
    expect(renderMarkdown(SOURCE, '# T\n\nFor [you](x): `a` of 1.0 things. More.', resolve).lead).to.equal(
      'For you: a of 1.0 things.',
    )
  })

  it('shows a file that is no Markdown as it is', () => {
    expect(renderPlain({ name: 'x.csv', file: 'x.csv' }, 'p, <b>, &\n').body).to.include('p, &#60;b&#62;, &#38;<')
  })
})
