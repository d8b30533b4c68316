import { expect } from 'chai'

import { attributesOf, elementsOf, textOf } from '../support/html.js'
import { startTestService, type TestResponse, type TestService } from '../support/service.js'

describe('the documentation as a site', () => {
  let service: TestService
  /** every page that a link leads to from `/docs`, by its path */
  const pages = new Map<string, TestResponse>()

  const pathOf = (href: string, from: string) => new URL(href, `${service.baseUrl}${from}`)
  const isOwn = (href: string, from: string) => pathOf(href, from).origin === service.baseUrl

  before(async () => {
    service = await startTestService()
    const waiting = ['/docs']
    for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
      if (pages.has(path)) continue
      const answer = await service.request('GET', path)
      pages.set(path, answer)
      if (!/html/.test(answer.headers.get('Content-Type') ?? '')) continue
      for (const href of [...attributesOf(answer.text, 'href'), ...attributesOf(answer.text, 'src')])
        if (isOwn(href, path)) waiting.push(pathOf(href, path).pathname)
    }
  })
  after(() => service.stop())

  const htmlPages = () => [...pages].filter(([, { headers }]) => headers.get('Content-Type')?.startsWith('text/html'))

  it('shows the README, every guide, every decision and the policy, each reached by links from /docs', () => {
    expect([...pages.keys()]).to.include.members(
      ['readme', 'guides', 'links', 'visits', 'policy', 'audit', 'security', 'operations', 'decisions'].map(
        (name) => `/docs/${name}`,
      ),
    )
    expect([...pages.keys()]).to.include.members(['/docs/model.conf', '/docs/default.csv', '/docs/changelog'])
    expect([...pages.keys()].filter((path) => /^\/docs\/\d{4}-/.test(path))).to.have.length.greaterThan(20)
  })

  it('has no link within it that leads nowhere: every page answers, every anchor is there', () => {
    const broken: string[] = []
    // read once for each page: the reference is half of the site, and hundreds of links lead into it
    const idsOn = new Map([...pages].map(([path, { text }]) => [path, new Set(attributesOf(text, 'id'))]))
    for (const [path, { text, status }] of pages) {
      if (status !== 200) broken.push(`${path} is ${status}`)
      for (const href of attributesOf(text, 'href').filter((each) => isOwn(each, path))) {
        const { pathname, hash } = pathOf(href, path)
        const anchor = decodeURIComponent(hash.slice(1))
        if (anchor !== '' && idsOn.get(pathname)?.has(anchor) !== true) broken.push(`${path}: ${href}`)
      }
    }
    expect(broken).to.deep.equal([])
  })

  it('lists its guides for each kind of reader', () => {
    const contents = elementsOf(pages.get('/docs/guides')?.text ?? '', 'section')
    expect(contents.map((section) => textOf(elementsOf(section, 'h2')[0] ?? ''))).to.deep.equal([
      'People who make links',
      'Programs',
      'Admins',
      'Auditors',
      'Operators',
      'More',
    ])
    for (const section of contents) expect(attributesOf(section, 'href')).to.not.deep.equal([])
  })

  it('leads from page to page as the files do on the disk', () => {
    const links = attributesOf(pages.get('/docs/links')?.text ?? '', 'href')
    expect(links).to.include.members(['/docs/pages', '/docs/policy'])
    expect(attributesOf(pages.get('/docs/policy')?.text ?? '', 'href')).to.include('/docs/model.conf')
  })

  it('has one h1 on every page, and no id twice', () => {
    for (const [path, { text }] of htmlPages()) {
      expect(elementsOf(text, 'h1'), path).to.have.length(1)
      const ids = attributesOf(text, 'id')
      expect(
        ids.filter((id, i) => ids.indexOf(id) !== i),
        path,
      ).to.deep.equal([])
    }
  })

  it('loads nothing from elsewhere, has no handler and no style in its tags', () => {
    expect(htmlPages()).to.have.length.greaterThan(40)
    for (const [path, { text }] of htmlPages()) {
      const tags = text.replace(/<(script|style)\b[^]*?<\/\1>/g, '<$1>')
      expect(tags, path).to.not.match(/<(?:iframe|object|embed|base)|<[^>]*\s(?:on[a-z]+|style|srcset|action)=/i)
      for (const source of [
        ...attributesOf(tags, 'src'),
        ...(tags.match(/<link [^>]*>/g) ?? []).flatMap((tag) => attributesOf(tag, 'href')),
      ])
        expect(source, path).to.match(/^\/(?:docs\/[\w.-]+|favicon\.\w+)$/)
      expect(text, path).to.not.match(/@import|url\(/)
    }
  })

  it('has a policy that lets its own style and scripts run by their hashes, and nothing else', () => {
    for (const [path, { headers, text }] of htmlPages()) {
      const policy = headers.get('Content-Security-Policy') ?? ''
      expect(policy.replace(/'sha256-[A-Za-z0-9+/]{43}='/g, 'HASH').split('; '), path).to.have.members([
        "default-src 'none'",
        'style-src HASH',
        `script-src ${elementsOf(text, 'script')
          .map(() => 'HASH')
          .join(' ')}`,
        "connect-src 'self'",
        "require-trusted-types-for 'script'",
        "trusted-types 'none'",
        "img-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
      ])
    }
  })

  it('is 404 for a page that is not there, and for every other way to write a path', async () => {
    for (const path of [
      '/docs/not-there',
      '/docs/Visits',
      '/docs/visits.md',
      '/docs/..%2Fpackage.json',
      '/docs/%2e%2e%2fpackage.json',
      '/docs/__proto__',
      '/docs/constructor',
      `/docs/${'x'.repeat(200)}`,
    ])
      expect((await service.request('GET', path)).status, path).to.equal(404)
  })

  it('is sent compressed, tagged, and again only where it changed', async () => {
    const first = await service.request('GET', '/docs/visits', { headers: { 'Accept-Encoding': 'gzip' } })
    expect(first.headers.get('Content-Encoding')).to.equal('gzip')
    const tag = first.headers.get('ETag') ?? ''
    const again = await service.request('GET', '/docs/visits', {
      headers: { 'Accept-Encoding': 'gzip', 'If-None-Match': tag },
    })
    expect([again.status, again.text]).to.deep.equal([304, ''])
  })
})
