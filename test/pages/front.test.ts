import { expect } from 'chai'

import { previewPage, textsIn } from '../../src/pages/pages.js'
import { VERSION } from '../../src/version.js'
import { at } from '../support/json.js'
import { startVisitedService, type VisitedService } from '../support/visited-pages.js'

const shownText = (page: string) => page.replace(/<style>[^]*<\/style>|<[^>]*>/g, ' ').replace(/\s+/g, ' ')

describe('what a visitor may look at', () => {
  let service: VisitedService

  before(async () => {
    service = await startVisitedService()
  })
  after(() => service.stop())
  afterEach(() => service.refuse(null))

  describe('a preview', () => {
    for (const path of ['/launch+', '/launch%2B', '/launch%2b', '/%6caunch+', '/%6caunch%2B', '/launch+?utm_source=x'])
      it(`shows where a link leads, and does not go there: ${path}`, async () => {
        const program = await service.request('GET', path)
        expect([program.status, program.headers.get('Location')]).to.deep.equal([200, null])
        expect(program.json).to.deep.equal({ code: 'launch', target: service.target, title: null })
        expect(program.headers.get('X-Robots-Tag')).to.equal('noindex')
        const page = await service.visit(path)
        expect([page.status, page.headers.get('Location')]).to.deep.equal([200, null])
        expect(page.text).to.include('<strong>www.example.com:8443</strong>')
        expect(shownText(page.text).replaceAll(' ', '')).to.include(
          service.target.replaceAll('&', '&#38;').replaceAll(' ', ''),
        )
      })

    it('leads on by the link itself, which then counts, and tells the target nothing of this page', async () => {
      const { text, headers } = await service.visit('/launch+', 'de')
      expect(text).to.match(/<a class="main" href="\/launch" rel="noreferrer nofollow">Dem Link folgen<\/a>/)
      expect(text)
        .to.match(/<html lang="de">/)
        .and.include('Wohin launch führt')
      expect(text).to.include('<meta name="robots" content="noindex" />')
      expect(headers.get('Content-Security-Policy')).to.include("form-action 'none'").and.include("default-src 'none'")
      expect(headers.get('Vary')).to.equal('Accept, Accept-Language')
      expect(headers.get('Cache-Control')).to.equal('no-cache')
    })

    it('asks can(), as the redirect does', async () => {
      service.refuse('policy_denied')
      expect((await service.request('GET', '/launch+')).json).to.include({ status: 403, code: 'policy_denied' })
      const refused = await service.visit('/launch+')
      expect([refused.status, refused.text.includes('example.com')]).to.deep.equal([403, false])
    })

    it('of nothing is 404, and of no other path is there one', async () => {
      for (const path of [
        '/absent+',
        '/Launch+',
        '/+',
        '/launch++',
        '/launch+/',
        '/launch%252B',
        `/${'a'.repeat(65)}+`,
      ])
        expect((await service.visit(path)).status, path).to.equal(404)
      expect((await service.request('GET', '/links/launch+')).status).to.equal(404)
      expect((await service.request('GET', '/docs+')).status).to.equal(404)
    })

    it('is that of the link’s state: 404 before its time and while it is off, 410 after its end', async () => {
      const target = 'https://example.com/kept-to-itself'
      await service.add({ code: 'later', target, starts_at: '2999-01-01T00:00:00Z' })
      await service.add({ code: 'paused', target, active: false })
      await service.add({ code: 'ended', target, expires_at: '2001-01-01T00:00:00Z' })
      for (const [code, status] of [
        ['later', 404],
        ['paused', 404],
        ['ended', 410],
      ] as const) {
        for (const answer of [await service.request('GET', `/${code}+`), await service.visit(`/${code}+`)])
          expect([answer.status, answer.text.includes('kept-to-itself')], code).to.deep.equal([status, false])
      }
    })

    it('of a link with a password says what the public may see: its title, that it is guarded, no target', async () => {
      const target = 'https://example.com/kept-to-itself'
      await service.add({ code: 'guarded', target, title: 'For <members>', password: 'open sesame' })
      const seen = (await service.request('GET', '/guarded+')).json
      expect(seen).to.deep.equal({ code: 'guarded', title: 'For <members>' })
      expect((await service.request('GET', '/links/guarded')).json).to.deep.equal(seen)
      const { status, text } = await service.visit('/guarded+')
      expect([status, /kept/i.test(text)]).to.deep.equal([200, false])
      expect(text).to.include('The link has a password').and.include('<bdi>For &#60;members&#62;</bdi>')
    })

    it('keeps the query that a link forwards', async () => {
      await service.add({ code: 'passes', target: 'https://example.com/?a=1', forward_query: true })
      const query = '?b=2&a=3&c="><i>'
      const { headers } = await service.request('GET', `/passes${query}`)
      const { json } = await service.request('GET', `/passes+${query}`)
      expect(at(json, 'target'))
        .to.equal('https://example.com/?a=1&b=2&c=%22%3E%3Ci%3E')
        .and.equal(headers.get('Location'))
      const { text } = await service.visit(`/passes+${query}`)
      expect(text).to.include('href="/passes?b=2&#38;a=3&#38;c=%22%3E%3Ci%3E"').and.not.include('<i>')
      expect((await service.visit('/passes+')).text).to.include('href="/passes"')
      // another link ignores what somebody appended
      await service.add({ code: 'ignores', target: 'https://example.com/' })
      expect((await service.visit('/ignores+?b=2')).text).to.include('href="/ignores"')
    })

    it('has the title of a link', async () => {
      await service.add({ code: 'titled', target: 'https://example.com/', title: '<i>Autumn</i>' })
      expect((await service.request('GET', '/titled+')).json).to.include({ title: '<i>Autumn</i>' })
      expect((await service.visit('/titled+')).text).to.include('<bdi>&#60;i&#62;Autumn&#60;/i&#62;</bdi>')
    })

    it('shows a title, and of a guarded link no target', () => {
      const page = (link: Parameters<typeof previewPage>[0]) => previewPage(link, 'go.example.com')(textsIn('en')).text
      const titled = page({ code: 'launch', target: 'https://example.org/', title: '<script>alert(1)</script>' })
      expect(titled).to.include('&#60;script&#62;alert(1)&#60;/script&#62;').and.not.include('<script')
      const guarded = page({ code: 'launch', title: null })
      expect(guarded)
        .to.include('The link has a password')
        .and.not.match(/Target|Title|class="shown"/)
      expect(guarded).to.include('href="/launch"')
    })

    it('shows the host that a browser would ask, whatever stands around it', () => {
      for (const [target, host] of [
        ['https://EXAMPLE.com', 'EXAMPLE.com'],
        ['http://[::1]:8080/x', '[::1]:8080'],
        ['https://a.example?b=//c.example/', 'a.example'],
        ['https://a.example#@b.example', 'a.example'],
        ['https://paypal.com.a.example/https://b.example', 'paypal.com.a.example'],
      ] as const)
        expect(
          previewPage({ code: 'x', target, title: null }, 'go.example.com')(textsIn('en')).text,
          target,
        ).to.include(`<strong>${host}</strong>`)
    })
  })

  it('/ says what this is: to a person in a page that may be indexed, to a program in JSON', async () => {
    const { json } = await service.request('GET', '/')
    expect(json).to.deep.equal({ name: 'linkgate', version: VERSION, documentation: `${service.baseUrl}/docs` })
    const { host } = new URL(service.baseUrl)
    for (const [language, said] of [
      ['en', `Short links of ${host}`],
      ['de', `Kurzlinks von ${host}`],
    ] as const) {
      const { status, text, headers } = await service.visit('/', language)
      expect([status, headers.get('Content-Language')]).to.deep.equal([200, language])
      expect(text)
        .to.include(`<h1>${said}</h1>`)
        .and.include('href="/docs"')
        .and.include('href="/console"')
        .and.not.include('noindex')
    }
  })

  it('/robots.txt lets crawlers read / and follow nothing', async () => {
    const { status, text, headers } = await service.request('GET', '/robots.txt')
    expect([status, headers.get('Content-Type')]).to.deep.equal([200, 'text/plain; charset=utf-8'])
    expect(text).to.equal('User-agent: *\nAllow: /$\nDisallow: /\n')
  })

  it('the icons are what they say they are', async () => {
    const response = await fetch(`${service.baseUrl}/favicon.ico`)
    expect(response.headers.get('Content-Type')).to.equal('image/vnd.microsoft.icon')
    const icon = Buffer.from(await response.arrayBuffer())
    // ICONDIR: reserved, type 1, two pictures; then where the first one begins, which is a PNG
    expect([icon.readUInt16LE(0), icon.readUInt16LE(2), icon.readUInt16LE(4)]).to.deep.equal([0, 1, 2])
    for (const entry of [6, 22]) {
      const [length, at] = [icon.readUInt32LE(entry + 8), icon.readUInt32LE(entry + 12)]
      expect(icon.subarray(at, at + 8).toString('latin1')).to.equal('\x89PNG\r\n\x1a\n')
      expect(at + length).to.be.at.most(icon.length)
    }
    const vector = await service.request('GET', '/favicon.svg')
    expect(vector.headers.get('Content-Type')).to.equal('image/svg+xml')
    expect(vector.text)
      .to.match(/^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg"/)
      .and.not.match(/script|href/)
    for (const path of ['/favicon.ico', '/favicon.svg', '/robots.txt'])
      expect((await service.request('GET', path)).headers.get('Cache-Control')).to.equal('public, max-age=86400')
  })

  it('finds a page though a slash was appended to its path', async () => {
    for (const path of ['/console', '/console/links', '/console/links/launch', '/docs', '/docs/links']) {
      const { status, headers } = await service.visit(`${path}/?from=mail`)
      expect([status, headers.get('Location')], path).to.deep.equal([308, `${path}?from=mail`])
      // link checkers ask so
      expect((await service.request('HEAD', `${path}/`)).status, path).to.equal(308)
    }
    for (const path of ['/healthz/', '/launch/', '/console//', '/console/links//', '/docs/links//', '//', '/links/']) {
      const { status } = await service.request('GET', path)
      expect(status, path).to.equal(404)
    }
  })
})
