import { expect } from 'chai'

import type { Route } from '../../src/layers/route.js'
import { at, listAt } from '../support/json.js'
import { addLink, addUserToDelete, addUserWithId } from '../support/records.js'
import { formOf, requestOf, subjectOf } from '../support/samples.js'
import type { TestService } from '../support/service.js'
import { startWithCallers, type Callers } from '../support/two-callers.js'

describe('the examples of /openapi.json', () => {
  let callers: Callers
  let service: TestService
  let document: unknown
  before(async () => {
    callers = await startWithCallers()
    service = callers.service
    document = (await service.request('GET', '/openapi.json')).json
    await addUserWithId(service.db, '7', 'viewer')
  })
  after(() => service.stop())

  it('of requests are taken, by every operation that has one', async () => {
    const shown = service.routes.filter(({ documentation }) => documentation.example?.body !== undefined)
    expect(shown).to.have.length.greaterThan(15)
    for (const route of shown) {
      const { body, query = {} } = route.documentation.example ?? {}
      const { method, path, status, options } = requestOf(route, await subject(route))
      const [bare] = path.split('?')
      const asked = new URLSearchParams(
        Object.entries(query).map(([name, value]): [string, string] => [name, `${value}`]),
      )
      const answer = await service.request(method, `${bare}?${asked}`, {
        ...options,
        ...(route.accepts[0] === 'form' ? formOf(Object(body), options.headers) : { json: body }),
        token: route.gateway.scope === 'public' ? undefined : callers.admin.token,
      })
      expect(answer.status, `${method} ${path}: ${answer.text}`).to.equal(
        EXAMPLES_END[route.documentation.id] ?? status,
      )
    }
  })

  it('of answers have the members that answers have', async () => {
    const { id, code } = await made()
    const answers: Readonly<Record<string, unknown>> = {
      createLink: (await service.request('GET', `/links/${code}`, { token: callers.editor.token })).json,
      getProfile: (await service.request('GET', '/users/me', { token: callers.editor.token })).json,
      getUser: (await service.request('GET', `/users/${callers.editor.id}`, { token: callers.admin.token })).json,
      getHealth: (await service.request('GET', '/healthz')).json,
    }
    expect(id).to.match(/^\d+$/)
    for (const [name, answer] of Object.entries(answers)) {
      const example = service.routes.find(({ documentation }) => documentation.id === name)?.documentation.example
      expect(Object.keys(Object(example?.answer)), name).to.have.members(Object.keys(Object(answer)))
    }
  })

  it('of problems stand at every refusal', () => {
    for (const { method, path } of service.routes) {
      const responses = at(document, 'paths', path.replace(/:([a-z_]+)/g, '{$1}'), method, 'responses')
      for (const [status, response] of Object.entries(Object(responses)).filter(([each]) => each >= '400')) {
        const example = at(response, 'content', 'application/problem+json', 'example')
        expect(String(at(example, 'status'))).to.equal(status)
        expect(listAt(response, 'x-problems').map((each) => at(each, 'code'))).to.include(at(example, 'code'))
      }
    }
  })

  /** What an operation is about. */
  const subject = async (route: Route): Promise<string> => {
    switch (subjectOf(route)) {
      case 'link':
        return addLink(service.db, { owner: callers.admin.id })
      case 'user':
      case 'user to delete':
        return addUserToDelete(service.db)
      case 'deleted link': {
        const { id, code } = await made()
        await service.request('DELETE', `/links/${code}`, { token: callers.editor.token })
        return id
      }
      default:
        return 'absent'
    }
  }

  const made = async () => {
    const { json } = await service.request('POST', '/links', {
      token: callers.editor.token,
      json: { target: 'https://example.com/' },
    })
    return { id: String(at(json, 'id')), code: String(at(json, 'code')) }
  }
})

/** Where the sample of a route cannot succeed, and its example does. */
const EXAMPLES_END: Readonly<Record<string, number>> = {
  transferLink: 200,
  transferLinksOfUser: 200,
  enterLinkPassword: 303,
}
