import { expect } from 'chai'
import * as fc from 'fast-check'

import { createClient } from '../../src/client/client.js'

/** A client that notes what it sends; every answer has this ETag. */
const noting = (baseUrl = 'https://go.example.com', tag = '"7-1"') => {
  const sent: { url: string; headers: Headers }[] = []
  const client = createClient({
    baseUrl,
    token: 'a-token',
    fetch: async (url, { headers } = {}) => {
      sent.push({ url: String(url), headers: new Headers(headers) })
      return Response.json({ code: 'spring' }, { headers: { ETag: tag, 'Policy-Revision': '3' } })
    },
  })
  return { client, sent }
}

const errorOf = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => expect.fail('it did not fail'),
    (error: unknown) => error,
  )

describe('requests of the client', () => {
  it('name exactly the record that they were given, or are not sent', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          fc.string({ unit: 'grapheme' }),
          fc.constantFrom('', '.', '..', '\ud83d', '../users', 'a/b', '%2e%2e', '?', '#'),
        ),
        async (code) => {
          const { client, sent } = noting()
          if (['', '.', '..', '\ud83d'].includes(code)) {
            expect(await errorOf(client.deleteLink(code))).to.be.instanceOf(TypeError)
            expect(sent).to.have.length(0)
            return
          }
          await client.deleteLink(code)
          const { pathname, search, hash } = new URL(sent[0]?.url ?? '')
          expect([pathname.split('/').map(decodeURIComponent), search, hash]).to.deep.equal([
            ['', 'links', code],
            '',
            '',
          ])
        },
      ),
    )
  })

  it('are not made for a base URL that is none, or with a token that is none', async () => {
    // an empty host would make `links` the host, and a query would take the path
    for (const baseUrl of ['nonsense', 'https://', 'https:///', 'https://go.example.com/?a=b', '/go#part'])
      expect(() => createClient({ baseUrl }), baseUrl).to.throw(TypeError, baseUrl)
    for (const token of ['lgp_SECRET\nlgp_OTHER', '', 'a b', 'lgp_é']) {
      const sent: string[] = []
      const fetch = async (url: string | URL | Request) => {
        sent.push(String(url))
        return new Response('{}')
      }
      const error = await errorOf(createClient({ baseUrl: 'https://go.example.com', token, fetch }).getProfile())
      expect(error).to.be.instanceOf(TypeError)
      expect(String(error)).to.not.include('SECRET')
      expect(sent).to.deep.equal([])
    }
  })

  it('go below the base URL, with and without a path or a slash at its end', async () => {
    for (const [baseUrl, url] of [
      ['https://go.example.com', 'https://go.example.com/links/a'],
      ['https://go.example.com/', 'https://go.example.com/links/a'],
      ['https://example.com/go/', 'https://example.com/go/links/a'],
      ['https://example.com/go', 'https://example.com/go/links/a'],
      // of the page that a browser shows
      ['', '/links/a'],
    ] as const) {
      const { client, sent } = noting(baseUrl)
      await client.getLink('a')
      expect(sent[0]?.url).to.equal(url)
    }
  })

  it('leave out parameters that are not given, and repeat lists', async () => {
    const { client, sent } = noting()
    await client.getVisits({ from: '2026-11-01', to: undefined, bots: true, tag: ['a b', 'ü'] })
    expect(sent[0]?.url).to.equal('https://go.example.com/visits?from=2026-11-01&bots=true&tag=a+b&tag=%C3%BC')
  })

  it('take If-Match from a text or from what an answer brought, and from nothing else', async () => {
    for (const [tag, expected] of [
      ['"7-1"', '"7-1"'],
      // as a proxy that compresses writes it
      ['W/"7-1"', '"7-1"'],
    ] as const) {
      const { client, sent } = noting('https://go.example.com', tag)
      const link = await client.getLink('spring')
      await client.updateLink('spring', { title: 'Spring' }, { ifMatch: link })
      await client.deleteLink('spring', { ifMatch: tag })
      expect(sent.map(({ headers }) => headers.get('If-Match'))).to.deep.equal([null, expected, expected])
      for (const none of [{ ...link }, '', {}, { etag: undefined }])
        expect(await errorOf(client.deleteLink('spring', { ifMatch: none }))).to.be.instanceOf(TypeError)
      expect(sent).to.have.length(3)
    }
  })

  it('say which revision at least, and their own id', async () => {
    const { client, sent } = noting()
    const link = await client.getLink('spring', { policyAtLeast: 3, requestId: 'mine' })
    expect(sent[0]?.headers.get('Policy-At-Least')).to.equal('3')
    expect(sent[0]?.headers.get('X-Request-ID')).to.equal('mine')
    expect(client.headersOf(link)?.get('Policy-Revision')).to.equal('3')
    expect(client.headersOf({})).to.equal(undefined)
  })
})
