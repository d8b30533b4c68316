import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'

import { expect } from 'chai'
import type { BrowserContext, Page } from 'playwright-core'

import { PACKAGE_ROOT } from '../../src/config.js'
import { urlOf } from '../../src/http/listen.js'
import { createAccounts } from '../../src/identity/accounts.js'
import { createPasswords } from '../../src/identity/password.js'
import { hasChromium, openChromium } from '../support/chromium.js'
import { at } from '../support/json.js'
import { addLink, addManyLinks } from '../support/records.js'
import { startTestService, type TestService } from '../support/service.js'

const ADA = { email: 'ada@example.com', password: 'a password of hers' }
const CLIENT = new URL('dist/client/client.js', PACKAGE_ROOT)
const LINKS = 20_000

;(hasChromium ? describe : describe.skip)('the client in a browser (needs chromium)', () => {
  let service: TestService
  let browser: BrowserContext
  /** a page of somebody else's site, which the service allows to call it */
  let page: Page
  const sites: Server[] = []

  /** A site that has nothing but an empty page and the built file; answers its origin. */
  const startSite = async (): Promise<string> => {
    const site = createServer(async (request, response) => {
      const isClient = request.url === '/client.js'
      response.setHeader('Content-Type', isClient ? 'text/javascript' : 'text/html')
      response.end(isClient ? await readFile(CLIENT) : '<!doctype html><title>A site</title>')
    })
    sites.push(site)
    await once(site.listen(0, '127.0.0.1'), 'listening')
    return urlOf(site)
  }

  before(async function () {
    if (!existsSync(CLIENT)) this.skip()
    const origin = await startSite()
    service = await startTestService({ environment: { CORS_ORIGINS: origin, RATE_LIMIT_SIGN_IN: '3/60' } })
    const passwordHash = await (await createPasswords()).hash(ADA.password)
    const account = { email: ADA.email, role: 'editor', name: 'Ada', passwordHash }
    const { id } = await createAccounts(service.database).add(account)
    await addManyLinks(service.db, { owner: id, count: LINKS, prefix: 'many-' })
    await addLink(service.db, { owner: null, code: 'of-nobody' })
    browser = await openChromium()
    page = await browser.newPage()
    await page.goto(origin)
    await page.evaluate(`
      import('/client.js').then((client) => {
        Object.assign(window, client)
        window.problemOf = (call) => call.then(() => null, (error) =>
          error instanceof client.LinkgateProblem ? { ...error, message: error.message } : { name: error.name })
        window.told = []
        window.ada = client.createClient({
          baseUrl: '${service.baseUrl}',
          maxRetryAfter: 0,
          onTokens: (tokens) => told.push(tokens),
        })
        return ada.signIn(${JSON.stringify(ADA)})
      })`)
  })
  after(async () => {
    await browser?.close()
    await service?.stop()
    for (const site of sites) {
      site.close()
      site.closeAllConnections()
    }
  })

  /** What a piece of a program answers in the page. */
  const run = (program: string): Promise<unknown> => page.evaluate(`(async () => { ${program} })()`)

  it('makes a link, and changes it under the ETag that came with it', async () => {
    const answer = await run(`
      const made = await ada.createLink({ target: 'https://example.com/', code: 'from-a-page', tags: ['browser'] })
      const changed = await ada.updateLink('from-a-page', { title: 'Changed' }, { ifMatch: made })
      const stale = await problemOf(ada.updateLink('from-a-page', { title: 'Lost' }, { ifMatch: made }))
      return { tag: ada.headersOf(made).get('ETag'), title: changed.title, stale: stale.code }`)
    expect(answer).to.include({ title: 'Changed', stale: 'precondition_failed' })
    expect(at(answer, 'tag')).to.match(/^"\d+-1"$/)
  })

  it('walks a list from page to page', async () => {
    const codes = await run(`
      const codes = []
      for await (const { code } of ada.listLinks({ limit: 2, sort: 'code' })) if (codes.push(code) === 5) break
      return codes`)
    expect(codes).to.deep.equal(['from-a-page', 'many-1', 'many-10', 'many-100', 'many-1000'])
  })

  it('gets a problem with its fields for a refusal', async () => {
    const denied = await run(`return problemOf(ada.deleteLink('of-nobody'))`)
    expect(denied).to.include({ name: 'LinkgateProblem', status: 403, code: 'policy_denied', rule: 'R5' })
    expect(at(denied, 'detail')).to.include('link:delete')
    expect(at(denied, 'requestId')).to.match(/^[\w.-]+$/)
    const invalid = await run(`return problemOf(ada.createLink({ target: 'ftp://example.com/' }))`)
    expect(invalid).to.include({ status: 422 })
    expect(at(invalid, 'errors', 0, 'field')).to.equal('target')
  })

  it('streams an export, record by record, and may stop in the middle', async () => {
    const answer = await run(`
      let records = 0
      for await (const { code } of ada.exportLinks({ format: 'ndjson' })) records += code.startsWith('many-') ? 1 : 0
      let chunks = 0
      for await (const chunk of ada.exportLinks()) chunks += chunk === '' ? 0 : 1
      let first
      for await (const chunk of ada.exportLinks()) {
        first = chunk
        break
      }
      return { records, chunks, first: first.slice(0, 8) }`)
    expect(answer).to.include({ records: LINKS, first: 'id,code,' })
    expect(at(answer, 'chunks')).to.be.greaterThan(1)
  })

  it('watches visits until it is aborted, and shows a picture', async () => {
    const answer = await run(`
      const watching = new AbortController()
      const totals = []
      for await (const { total } of ada.watchLinkVisits('many-1', {}, { signal: watching.signal })) {
        totals.push(total)
        watching.abort()
      }
      const image = new Image()
      image.src = URL.createObjectURL(await ada.getLinkQr('many-1', { format: 'png', size: 128 }))
      await image.decode()
      return { totals, width: image.naturalWidth }`)
    expect(answer).to.deep.equal({ totals: [0], width: 128 })
  })

  it('gets no answer from a page whose origin the service does not name', async () => {
    const stranger = await browser.newPage()
    await stranger.goto(await startSite())
    const problem = await stranger.evaluate(`
      import('/client.js').then(({ LinkgateProblem, createClient }) =>
        createClient({ baseUrl: '${service.baseUrl}', retries: 0 }).getLink('many-1').then(
          () => null,
          (error) => error instanceof LinkgateProblem && [error.code, error.status]))`)
    expect(problem).to.deep.equal(['network_error', 0])
  })

  it('signs out, here and at the service', async () => {
    const answer = await run(`
      const [{ access_token: token }] = told
      await ada.signOut()
      const copy = createClient({ baseUrl: '${service.baseUrl}', token })
      return [told.at(-1), (await problemOf(ada.getProfile())).code, (await problemOf(copy.getProfile())).code]`)
    expect(answer).to.deep.equal([null, 'token_required', 'invalid_token'])
  })

  it('is told how long to wait, though the page is of another origin', async () => {
    const limited = await run(`
      const anybody = createClient({ baseUrl: '${service.baseUrl}', maxRetryAfter: 0 })
      const tries = []
      for (let i = 0; i < 4; i += 1)
        tries.push(await problemOf(anybody.signIn({ email: 'nobody@example.com', password: 'wrong' })))
      return tries.at(-1)`)
    expect(limited).to.include({ status: 429, code: 'rate_limited' })
    expect(at(limited, 'retryAfter')).to.be.within(1, 60)
  })
})
