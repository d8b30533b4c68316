import { expect } from 'chai'
import { z } from 'zod'

import { createClient } from '../../src/client/client.js'
import type { Route } from '../../src/layers/route.js'
import { allOf } from '../support/all-of.js'
import { textAt } from '../support/json.js'
import { startTestService, type TestService } from '../support/service.js'

/** Routes without a method, and why. */
const LEFT_OUT: Readonly<Record<string, string>> = {
  followLink: 'is for visitors',
  enterLinkPassword: 'is for visitors',
  previewLink: 'is for visitors; getLink answers programs',
  getHome: 'is a page',
  getDocs: 'is a page',
  getDocsPage: 'is a page',
  getConsole: 'is a page',
  getConsoleFile: 'is of a page',
  getConsolePage: 'is a page',
  getConsoleItem: 'is a page',
  getOpenapi: 'describes what the client knows',
  getFaviconIco: 'is an icon',
  getFaviconSvg: 'is an icon',
  getRobots: 'is for crawlers',
  getHealth: 'is for whoever watches the service',
  getReadiness: 'is for whoever watches the service',
  getMetrics: 'is for whoever watches the service',
  createSession: 'is for a page of the service, which gets a cookie',
  refreshSession: 'is for a page of the service, which sends a cookie',
  endSession: 'is for a page of the service, which sends a cookie',
  getKeys: 'is for whoever verifies tokens',
}

/** What a client has beside the routes. */
const OWN = ['signIn', 'signOut', 'headersOf']

/** A request as `fetch` is given it. */
interface Sent {
  readonly url: URL
  readonly method: string
  readonly headers: Headers
  readonly body: unknown
}

const OF_TYPE: Readonly<Record<string, string>> = {
  'application/json': '{"data":[],"next_cursor":null}',
  'application/x-ndjson': '{}\n',
  'text/csv': 'a\n',
}

describe('the table of the client', () => {
  let service: TestService
  before(async () => {
    service = await startTestService()
  })
  after(() => service.stop())

  const inClient = (): readonly Route[] => service.routes.filter(({ documentation: { id } }) => !(id in LEFT_OUT))

  /** What a call of the route's method sends, and how it answers. */
  const send = async (route: Route, query: Readonly<Record<string, string>> = {}) => {
    const sent: Sent[] = []
    const client = createClient({
      baseUrl: 'https://go.example.com/at/',
      token: 'a-token',
      fetch: async (url, { method = '', headers, body } = {}) => {
        sent.push({ url: new URL(String(url)), method, headers: new Headers(headers), body })
        const type = new Headers(headers).get('Accept')?.split(',')[0]?.replace('*', 'png') ?? ''
        return new Response(OF_TYPE[type] ?? '', { headers: { 'Content-Type': type } })
      },
    })
    const given = [
      ...(route.path.includes(':') ? ['a/ü'] : []),
      ...(route.body !== undefined || route.query !== undefined ? [{ given: 'yes', ...query }] : []),
      route.body !== undefined && route.query !== undefined ? { query: { asked: 'yes' } } : {},
    ]
    const { id } = route.documentation
    const method = Object.entries(client).find(([name]) => name === id)?.[1] ?? expect.fail(`there is no ${id}`)
    const answer: object = Reflect.apply(method, undefined, given)
    const isPages = 'page' in answer
    const isStream = !isPages && Symbol.asyncIterator in answer
    if (isPages) await Object(answer).page()
    else if (isStream) await allOf(Object(answer))
    else await answer
    const answers = isPages ? 'pages' : isStream ? 'a stream' : 'a promise'
    const [first] = sent
    if (first === undefined || sent.length > 1) throw new Error(`${id} sent ${sent.length} requests`)
    return { ...first, answers }
  }

  it('has a method for every route but those that are left out for a reason, and no other', () => {
    const client = createClient({ baseUrl: 'https://go.example.com' })
    const routes = inClient().map(({ documentation: { id } }) => id)
    expect(Object.keys(client).toSorted()).to.deep.equal([...routes, ...OWN].toSorted())
    const ids = new Set(service.routes.map(({ documentation: { id } }) => id))
    expect(Object.keys(LEFT_OUT).filter((id) => !ids.has(id))).to.deep.equal([])
  })

  it('sends the method, the path and the input of each route', async () => {
    for (const route of inClient()) {
      const { url, method, headers, body } = await send(route)
      const { documentation, gateway, endpoint } = route
      const hasQuery = route.query !== undefined
      const hasBody = route.body !== undefined
      const what = documentation.id
      expect(method, what).to.equal(route.method.toUpperCase())
      expect(url.pathname, what).to.equal(`/at${route.path.replace(/:\w+/, 'a%2F%C3%BC')}`)
      const search = hasQuery ? (hasBody ? '?asked=yes' : '?given=yes') : ''
      expect(url.search, what).to.equal(search)
      expect(body, what).to.equal(hasBody ? '{"given":"yes"}' : null)
      expect(headers.get('Content-Type'), what).to.equal(hasBody ? 'application/json' : null)
      expect(headers.has('Idempotency-Key'), what).to.equal(route.idempotent)
      // a token that is not valid is refused by public routes, too
      const isAnonymous = gateway.scope === 'public' && endpoint === 'none'
      expect(headers.get('Authorization'), what).to.equal(isAnonymous ? null : 'Bearer a-token')
    }
  })

  it('takes from each route what it answers', async () => {
    for (const route of inClient()) {
      const { id, types = [], response } = route.documentation
      const isList = response instanceof z.ZodObject && 'next_cursor' in response.shape
      const isText = types.length > 0 && response === undefined
      const { headers, answers } = await send(route)
      const accepted = textAt(headers.get('Accept')?.split(', '), 0).replace('/*', '/')
      expect(
        [accepted, 'application/json'].some((each) => accepted.startsWith(each)),
        id,
      ).to.equal(true)
      if (isText)
        expect(
          types.some((type) => type.startsWith(accepted)),
          id,
        ).to.equal(true)
      else expect(accepted, id).to.equal('application/json')
      const streams = types.some((type) => type === 'application/x-ndjson' || type === 'text/event-stream')
      expect(answers, id).to.equal(isList ? 'pages' : streams ? 'a stream' : 'a promise')
      for (const format of ['csv', 'ndjson']) {
        const type = format === 'csv' ? 'text/csv' : 'application/x-ndjson'
        if (!types.includes(type)) continue
        const asked = await send(route, { format })
        expect(asked.headers.get('Accept'), id).to.match(new RegExp(`^${type},`))
        expect(asked.answers, id).to.equal(streams ? 'a stream' : 'a promise')
      }
    }
  })
})
