import { expect } from 'chai'

import { LinkgateProblem, createClient } from '../../src/client/client.js'
import { allOf } from '../support/all-of.js'
import { json, startScriptedServer, type Scripted, type ScriptedServer } from '../support/scripted-server.js'

describe('LinkgateProblem', () => {
  let server: ScriptedServer
  let answer: Scripted
  before(async () => {
    server = await startScriptedServer(() => answer)
  })
  after(() => server.stop())

  const problemOf = async (scripted: Scripted, baseUrl = server.baseUrl): Promise<LinkgateProblem> => {
    answer = scripted
    const client = createClient({ baseUrl, retries: 0 })
    const error: unknown = await client.getLink('spring').then(
      (link) => expect.fail(`it answered ${JSON.stringify(link)}`),
      (error: unknown) => error,
    )
    if (error instanceof LinkgateProblem) return error
    throw error
  }

  it('is what the service refused with, and why', async () => {
    const document = {
      type: 'urn:linkgate:problem:policy_denied',
      title: 'The policy denies this',
      status: 403,
      detail: 'R5 denies it.',
      code: 'policy_denied',
      rule: 'R5',
      request_id: 'abc',
      decisions: [1, 2],
    }
    const problem = await problemOf(json(document, 403, { 'Retry-After': '7' }))
    expect(problem).to.be.instanceOf(Error)
    expect(problem).to.include({
      name: 'LinkgateProblem',
      status: 403,
      code: 'policy_denied',
      title: 'The policy denies this',
      detail: 'R5 denies it.',
      rule: 'R5',
      requestId: 'abc',
      retryAfter: 7,
      message: 'policy_denied: The policy denies this. R5 denies it.',
    })
    expect(problem.errors).to.deep.equal([])
    expect(problem.document).to.deep.equal(document)
  })

  it('names the fields that are not valid, in its message, too', async () => {
    const errors = [
      { field: 'target', message: 'must be an absolute http or https URL' },
      { field: '', message: 'is required' },
    ]
    const title = 'A field is not valid'
    const detail = 'target: must be an absolute http or https URL; is required.'
    const problem = await problemOf(json({ status: 422, code: 'validation_failed', title, detail, errors }, 422))
    expect(problem.errors).to.deep.equal(errors)
    expect(problem.detail).to.equal(detail)
    expect(problem.message).to.equal(
      'validation_failed: A field is not valid. target must be an absolute http or https URL; is required',
    )
    expect(problem.rule).to.equal(undefined)
    expect(problem.retryAfter).to.equal(undefined)
  })

  it('is unexpected_answer where something else than the service answers', async () => {
    const html = { type: 'text/html', body: '<h1>Hello</h1>' }
    for (const [scripted, status] of [
      [{ ...html, status: 502, headers: { 'X-Request-ID': 'of-a-proxy', 'Retry-After': '3' } }, 502],
      [{ ...html, status: 404 }, 404],
      [{ ...html, status: 200 }, 200],
      [json({ error: 'teapot' }, 418), 418],
      [{ type: 'application/problem+json', status: 500, body: 'null' }, 500],
      [{ type: 'application/json', body: '{"code": ' }, 200],
      // to another host, or to https: a POST would become a GET
      [{ status: 301, headers: { Location: 'https://elsewhere.example.com/' } }, 301],
    ] as const) {
      const problem = await problemOf(scripted)
      expect(problem.code).to.equal('unexpected_answer')
      expect(problem.status).to.equal(status)
    }
    const problem = await problemOf({ ...html, status: 502, headers: { 'X-Request-ID': 'p', 'Retry-After': '3' } })
    expect(problem).to.include({ requestId: 'p', retryAfter: 3, detail: '502, text/html' })
    const moved = await problemOf({ status: 301, headers: { Location: 'https://elsewhere.example.com/' } })
    expect(moved.detail).to.include('to https://elsewhere.example.com/')
  })

  it('is unexpected_answer where a page comes instead of a text, a picture or an export', async () => {
    answer = { type: 'text/html', body: '<h1>Hello</h1>\n' }
    const client = createClient({ baseUrl: server.baseUrl, retries: 0 })
    const calls = [
      client.getPolicyModel(),
      client.getLinkQr('spring'),
      allOf(client.exportLinks()),
      allOf(client.watchLinkVisits('spring')),
    ]
    for (const outcome of await Promise.allSettled(calls))
      expect(outcome).to.have.nested.property('reason.code', 'unexpected_answer')
  })

  it('is network_error where no answer comes, or not all of it', async () => {
    const lost = await problemOf({ breaksOff: 'before' })
    expect(lost).to.include({ status: 0, code: 'network_error', title: 'No answer came' })
    expect(lost.cause).to.be.instanceOf(Error)
    const cut = await problemOf({ status: 200, body: '{"code": "spr', breaksOff: 'after' })
    expect(cut).to.include({ status: 200, code: 'network_error', title: 'The answer broke off' })
    const closed = await startScriptedServer(() => ({}))
    await closed.stop()
    expect(await problemOf({}, closed.baseUrl)).to.include({ status: 0, code: 'network_error' })
  })
})
