import { runInNewContext } from 'node:vm'

import { expect } from 'chai'

import { createClient } from '../../src/client/client.js'
import { attributesOf, elementsOf, textOf } from '../support/html.js'
import { startTestService, type TestService } from '../support/service.js'

describe('the calls of the client in the API reference', () => {
  let service: TestService
  let calls: ReadonlyMap<string, string>
  before(async () => {
    service = await startTestService()
    const page = (await service.request('GET', '/docs')).text
    calls = new Map(
      elementsOf(page, 'article').flatMap((article) => {
        const code = elementsOf(article, 'pre')
          .map(textOf)
          .find((text) => text.includes('client.'))
        return code === undefined ? [] : [[attributesOf(article, 'id')[0] ?? '', code] as const]
      }),
    )
  })
  after(() => service.stop())

  it('send what the operation is asked with: its method, its path, its query and its body', async () => {
    expect(calls.size).to.be.greaterThan(40)
    for (const { method, path, documentation } of service.routes) {
      const code = calls.get(documentation.id)
      if (code === undefined) continue
      const sent: { readonly method: string; readonly url: URL; readonly body: unknown }[] = []
      const client = createClient({
        baseUrl: service.baseUrl,
        token: 'a-token',
        retries: 0,
        fetch: async (url, { method: used = 'GET', body } = {}) => {
          sent.push({ method: used, url: new URL(String(url)), body })
          return Response.json({ data: [], next_cursor: null })
        },
      })
      const run: unknown = runInNewContext(`(async () => { ${code} })()`, { client, console: { log: () => undefined } })
      // what is answered here is not what a stream expects
      await Promise.resolve(run).catch(() => undefined)
      const [first] = sent
      expect(first?.method, `${documentation.id}: ${code}`).to.equal(method.toUpperCase())
      const template = new RegExp(`^${path.replaceAll('.', '\\.').replace(/:[a-z_]+/g, '[^/]+')}$`)
      expect(first?.url.pathname, documentation.id).to.match(template)
      const { body, query = {} } = documentation.example ?? {}
      if (body !== undefined && typeof first?.body === 'string' && first.body.startsWith('{'))
        expect(JSON.parse(first.body)).to.deep.equal(body)
      for (const [name, value] of Object.entries(query)) expect(first?.url.searchParams.get(name)).to.equal(value)
    }
  })

  it('stand at every operation that the client has, and at no other', () => {
    const client = createClient({ baseUrl: service.baseUrl })
    const shown = service.routes.map(({ documentation: { id } }) => id).filter((id) => calls.has(id))
    const had = service.routes.map(({ documentation: { id } }) => id).filter((id) => id in client)
    expect(shown).to.deep.equal(had)
  })
})
