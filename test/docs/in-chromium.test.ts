import { expect } from 'chai'
import type { Browser, BrowserContext, Page } from 'playwright-core'

import { createPasswords } from '../../src/identity/password.js'
import { LOOKS, axeFaults } from '../support/axe.js'
import { hasChromium, openChromium } from '../support/chromium.js'
import { startTestService, type TestService, type TestUser } from '../support/service.js'

const WIDE = { width: 1_280, height: 800 }

;(hasChromium ? describe : describe.skip)('the documentation in a browser (needs chromium)', function () {
  // a browser starts in seconds on a loaded machine
  this.timeout(300_000)
  let service: TestService
  let editor: TestUser
  let context: BrowserContext
  let page: Page
  const complaints: string[] = []
  const asked: string[] = []

  before(async () => {
    service = await startTestService()
    editor = await service.addUser('editor')
    context = await openChromium()
    page = await context.newPage()
    page.on('console', (message) => {
      if (!message.text().startsWith('Failed to load resource: the server responded with'))
        complaints.push(message.text())
    })
    page.on('pageerror', ({ message }) => complaints.push(message))
    page.on('request', (request) => {
      // a redirect that is not followed is told of as well
      if (request.redirectedFrom() === null) asked.push(request.url())
    })
  })
  after(async () => {
    await context.close()
    await service.stop()
  })
  afterEach(() => {
    expect(complaints.splice(0)).to.deep.equal([])
    for (const url of asked.splice(0)) expect(new URL(url).origin).to.equal(service.baseUrl)
  })

  const open = async (path: string) => {
    // a page that differs by its fragment alone would not be loaded again; one of another origin costs a new process
    await page.goto(`${service.baseUrl}/robots.txt`)
    asked.splice(0)
    await page.goto(`${service.baseUrl}${path}`)
  }
  const openAll = () => page.evaluate(`document.querySelectorAll('details').forEach((each) => { each.open = true })`)
  /** Operations with every kind of part that there is. The colours of all would take minutes. */
  const showSome = () =>
    page.evaluate(`{
      const some = ['createLink', 'listLinks', 'exportLinks', 'requestToken', 'changePolicy']
      for (const each of document.querySelectorAll('article.operation')) if (!some.includes(each.id)) each.remove()
    }`)
  const shown = (selector: string) =>
    page.evaluate(
      `[...document.querySelectorAll(${JSON.stringify(selector)})].filter((each) => each.checkVisibility()).length`,
    )

  /**
   * What axe cannot tell counts as well, but for the colours of cells that a table has scrolled out of view: the wide
   * screen shows those.
   */
  const UNTOLD = `({ id, nodes }) => innerWidth > 1000 || id !== 'color-contrast' ||
    !nodes.every(({ target }) => document.querySelector(target[0]).closest('.scroll') !== null)`

  for (const path of ['/docs', '/docs/guides', '/docs/operations', '/docs/default.csv'])
    it(`has nothing that axe finds wrong, light and dark, and fits its screen: ${path}`, async () => {
      await open(path)
      await openAll()
      for (const { screen } of LOOKS) {
        await page.setViewportSize(screen)
        const tooWide = await page.evaluate('document.documentElement.scrollWidth - innerWidth')
        expect(tooWide, `${screen.width} pixels`).to.be.at.most(0)
      }
      await showSome()
      for (const { screen, colorScheme } of LOOKS) {
        await page.setViewportSize(screen)
        await page.emulateMedia({ colorScheme })
        const faults = await axeFaults(page, { untold: UNTOLD })
        expect(faults, `${screen.width}, ${colorScheme}`).to.deep.equal([])
      }
    })

  it('has no operation in which axe finds anything wrong, colours apart', async () => {
    await page.setViewportSize(WIDE)
    await open('/docs')
    await openAll()
    expect(await axeFaults(page, { untold: UNTOLD, colours: false })).to.deep.equal([])
  })

  it('fits the narrowest screen, with everything open', async () => {
    await page.setViewportSize({ width: 320, height: 568 })
    for (const path of ['/docs', '/docs/guides', '/docs/metrics']) {
      await open(path)
      await openAll()
      const tooWide = await page.evaluate('document.documentElement.scrollWidth - innerWidth')
      expect(tooWide, path).to.be.at.most(0)
    }
  })

  it('shows the heading that a link leads to below its own top, on the narrowest screen as well', async () => {
    for (const width of [320, 360, 640]) {
      await page.setViewportSize({ width, height: 568 })
      await open('/docs/operations#pgbouncer')
      // the top may be in two lines
      const covered = `Math.max(0, document.querySelector('.top').getBoundingClientRect().bottom)`
      const heading = `document.querySelector('#pgbouncer').getBoundingClientRect().top`
      expect(await page.evaluate(`${heading} - ${covered}`), `${width} pixels`).to.be.within(0, 100)
    }
  })

  it('is printed as text alone, dark on white, whatever the screen looks like', async () => {
    await page.emulateMedia({ media: 'print', colorScheme: 'dark' })
    await page.setViewportSize({ width: 680, height: 960 })
    for (const path of ['/docs', '/docs/operations']) {
      await open(path)
      for (const aside of ['header.top', '.contents', '.on-page', 'form', '.copy'])
        expect(await shown(aside), `${path} ${aside}`).to.equal(0)
      expect(await shown('main h1'), path).to.equal(1)
      const look = await page.evaluate(`
        [document.documentElement, document.body].map((each) => getComputedStyle(each).backgroundColor)`)
      expect(look, path).to.deep.equal(['rgba(0, 0, 0, 0)', 'rgba(0, 0, 0, 0)'])
      const ink = await page.evaluate(`getComputedStyle(document.querySelector('main p')).color`)
      const [lightness = ''] = /(?<=oklch\()[\d.]+/.exec(String(ink)) ?? []
      expect(Number(lightness), String(ink)).to.be.greaterThan(0).and.lessThan(0.4)
      expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth'), path).to.be.at.most(0)
    }
    // what all operations have in common is worth its paper
    await open('/docs')
    expect(await shown('.intro .refusals')).to.equal(1)
    await page.emulateMedia({ media: null, colorScheme: null })
  })

  describe('the search', () => {
    beforeEach(async () => {
      await page.setViewportSize(WIDE)
      await open('/docs')
    })

    it('leaves what has all the words, in the text and in the contents, and says how many', async () => {
      const all = await shown('article.operation')
      await page.keyboard.press('/')
      await page.waitForSelector('#search:focus')
      await page.keyboard.type('qr code')
      await page.waitForSelector('#updateLink', { state: 'hidden' })
      expect(await shown('#getLinkQr')).to.equal(1)
      const [found, listed] = [await shown('article.operation'), await shown('.contents li a[href^="#get"]')]
      expect(found).to.be.lessThan(10)
      expect(listed).to.be.at.most(Number(found)).and.greaterThan(0)
      expect(await page.textContent('#found')).to.equal(`${found} of ${all} operations`)
      await page.keyboard.press('Escape')
      expect(await shown('article.operation')).to.equal(all)
    })

    it('leaves the heading of a group out with the last of its operations', async () => {
      await page.fill('#search', 'qr code')
      await page.waitForSelector('#updateLink', { state: 'hidden' })
      const groups = [await shown('.group:has(article:not([hidden]))'), await shown('.group > h2')]
      expect(groups).to.deep.equal([1, 1])
    })

    it('finds an operation by the name of a field', async () => {
      await page.fill('#search', 'max_visits')
      expect([await shown('#createLink'), await shown('#getHealth')]).to.deep.equal([1, 0])
    })

    it('says that nothing was found', async () => {
      await page.fill('#search', 'no such words')
      expect([await page.textContent('#found'), await shown('article.operation')]).to.deep.equal([
        `0 of ${service.routes.length} operations`,
        0,
      ])
    })

    it('makes way for a link to what it hides', async () => {
      await page.fill('#search', 'qr')
      await page.evaluate(`location.hash = '#createLink'`)
      await page.waitForSelector('#createLink', { state: 'visible' })
      expect(await page.inputValue('#search')).to.equal('')
    })

    it('makes way for a link to what it hides again, though the address has it already', async () => {
      await page.locator('#createLink').getByText('Try it').click()
      for (const time of ['first', 'second']) {
        await page.fill('#search', 'create a link')
        await page.waitForSelector('#signing-in', { state: 'hidden' })
        await page.locator('#createLink').getByRole('link', { name: 'Change' }).click()
        await page.waitForSelector('#signing-in', { state: 'visible' })
        const inView = `document.querySelector('#signing-in').getBoundingClientRect().top`
        expect(await page.evaluate(inView), time).to.be.within(0, WIDE.height)
      }
    })
  })

  describe('a form', () => {
    beforeEach(async () => {
      await page.setViewportSize(WIDE)
      await open('/docs')
    })
    const form = (id: string) => page.locator(`#${id} form.send`)
    const openForm = (id: string) => page.locator(`#${id} summary`, { hasText: 'Try it' }).click()
    const answerTo = async (id: string) => {
      await form(id).locator('button.main').click()
      await form(id)
        .locator('.status', { hasText: /\d{3} |redirect|answer:/ })
        .waitFor()
      await form(id).locator('.stop').waitFor({ state: 'hidden' })
      return {
        status: (await form(id).locator('.status').textContent()) ?? '',
        headers: (await form(id).locator('.headers').textContent()) ?? '',
        body: (await form(id).locator('.body').textContent()) ?? '',
      }
    }
    const useToken = async (token: string) => {
      await page.fill('#keep-token input', token)
      await page.press('#keep-token input', 'Enter')
      await page.locator('#token-state', { hasText: token.slice(-6) }).waitFor()
    }

    it('sends the request of its operation with the token, and shows status, headers and body', async () => {
      await useToken(editor.token)
      await openForm('createLink')
      await form('createLink').locator('textarea').fill('{"target": "https://example.com/tried", "code": "tried"}')
      const made = await answerTo('createLink')
      expect(made.status).to.match(/^201 /)
      expect(made.headers)
        .to.match(/^etag: "/m)
        .and.to.match(/^location: /m)
      expect(JSON.parse(made.body)).to.include({ code: 'tried', target: 'https://example.com/tried' })

      await openForm('updateLink')
      await form('updateLink').locator('input[name=code]').fill('tried')
      await form('updateLink').locator('textarea').fill('{"title": "A title"}')
      expect(JSON.parse((await answerTo('updateLink')).body)).to.include({ title: 'A title' })

      await openForm('listLinks')
      await form('listLinks').locator('input[name=q]').fill('title')
      expect((await answerTo('listLinks')).body).to.include('"tried"')
    })

    it('sends what the command beside it sends, where nothing is changed in it', async () => {
      const send = async (id: string) => {
        const [request] = await Promise.all([
          page.waitForRequest((sent) => sent.resourceType() === 'fetch'),
          form(id).locator('button.main').click(),
        ])
        const { pathname, search } = new URL(request.url())
        const { accept } = await request.allHeaders()
        return { asked: `${request.method()} ${pathname}${search}`, accept, request }
      }
      await openForm('restorePolicyRevision')
      await form('restorePolicyRevision').locator('input[name=revision]').fill('1')
      const { asked, request } = await send('restorePolicyRevision')
      expect(asked).to.equal('POST /policy/revisions/1/restore?dry_run=true')
      expect(request.postDataJSON()).to.deep.equal({ reason: 'the edit of Tuesday was wrong' })

      await openForm('explainDecision')
      const question = 'role=editor&action=link%3Adelete&relation=other'
      expect((await send('explainDecision')).asked).to.equal(`GET /policy/explanation?${question}`)

      // of an export, the query says the format: `Accept` would change nothing
      await openForm('exportLinks')
      expect(await send('exportLinks')).to.include({ asked: 'GET /links/export', accept: '*/*' })
      await openForm('getHome')
      expect(await send('getHome')).to.include({ asked: 'GET /', accept: 'application/json' })
    })

    it('says only of the last request how it ended', async () => {
      await page.evaluate(`window.fetch = (request) => new Promise((_, reject) => {
        request.signal.addEventListener('abort', () => reject(request.signal.reason))
      })`)
      await openForm('getProfile')
      const button = form('getProfile').locator('button.main')
      await button.click()
      await button.click()
      expect(await form('getProfile').locator('.status').textContent()).to.equal('Waiting for the response.')
      await form('getProfile').locator('.stop').click()
      await form('getProfile').locator('.status', { hasText: 'Waiting for the response. Stopped.' }).waitFor()
    })

    it('shows the status and the text of JSON that is not whole', async () => {
      await page.route('**/me', (route) => route.fulfill({ contentType: 'application/json', body: '{"id": "1"' }))
      await openForm('getProfile')
      const { status, body } = await answerTo('getProfile')
      await page.unroute('**/me')
      expect({ status, body }).to.deep.equal({ status: '200 OK', body: '{"id": "1"' })
    })

    it('shows the status of an answer that breaks off', async () => {
      await page.evaluate(`window.fetch = async () => new Response(
        new ReadableStream({
          start: (body) => body.enqueue(new TextEncoder().encode('{"id": "1"')),
          pull: (body) => body.error(new Error('gone')),
        }),
        { statusText: 'OK', headers: { 'Content-Type': 'application/json' } },
      )`)
      await openForm('getProfile')
      const { status } = await answerTo('getProfile')
      expect(status).to.equal('200 OK, but the response broke off: gone')
    })

    it('shows a refusal as it comes', async () => {
      await openForm('createLink')
      const { status, body } = await answerTo('createLink')
      expect(status).to.match(/^401 /)
      expect(JSON.parse(body)).to.include({ code: 'token_required' })
    })

    it('keeps the token in memory alone: in no storage, field or address, and gone after a reload', async () => {
      const urls: string[] = []
      page.on('request', (request) => urls.push(request.url()))
      await useToken(editor.token)
      await openForm('getProfile')
      expect(JSON.parse((await answerTo('getProfile')).body)).to.include({ id: editor.id })
      expect(
        await page.evaluate(
          `JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie, history.state])`,
        ),
      ).to.equal('[{},{},"",null]')
      expect(await page.evaluate('indexedDB.databases().then((all) => all.length)')).to.equal(0)
      expect(await page.evaluate('caches.keys().then((all) => all.length)')).to.equal(0)
      const fields = await page.evaluate(
        `[...document.querySelectorAll('input, textarea')].map((each) => each.value).join(' ')`,
      )
      expect(fields).to.not.include(editor.token)
      expect(await page.content()).to.not.include(editor.token)
      expect([...urls, page.url()].join(' ')).to.not.include(editor.token)
      await page.reload()
      await openForm('getProfile')
      expect((await answerTo('getProfile')).status).to.match(/^401 /)
    })

    it('forgets the token when it is told to', async () => {
      await useToken(editor.token)
      await page.click('#forget')
      await openForm('getProfile')
      expect((await answerTo('getProfile')).status).to.match(/^401 /)
    })

    it('signs in with address and password, and sends these nowhere but to the token endpoint', async () => {
      const password = 'a long password'
      const me = await service.addUser('viewer')
      const hash = await (await createPasswords()).hash(password)
      await service.db.asOwner(
        `update users set email = 'reader@example.com', password_hash = '${hash}' where id = ${me.id}`,
      )
      await page.fill('#sign-in [name=username]', 'reader@example.com')
      await page.fill('#sign-in [name=password]', password)
      await page.press('#sign-in [name=password]', 'Enter')
      await page.locator('#token-state', { hasText: 'ends in' }).waitFor()
      expect(await page.inputValue('#sign-in [name=password]')).to.equal('')
      expect(page.url()).to.equal(`${service.baseUrl}/docs`)
      await openForm('getProfile')
      expect(JSON.parse((await answerTo('getProfile')).body)).to.include({ id: me.id })
    })

    it('says why somebody is not signed in', async () => {
      await page.fill('#sign-in [name=username]', 'nobody@example.com')
      await page.fill('#sign-in [name=password]', 'wrong')
      await page.press('#sign-in [name=password]', 'Enter')
      await page.locator('#token-state', { hasText: 'Not signed in' }).waitFor()
    })

    it('shows a redirect for what it is, and does not follow it', async () => {
      const made = { target: 'https://example.com/far-away', code: 'leads-away' }
      expect((await service.request('POST', '/links', { token: editor.token, json: made })).status).to.equal(201)
      await openForm('followLink')
      await form('followLink').locator('input[name=code]').fill('leads-away')
      expect((await answerTo('followLink')).status).to.include('redirect')
    })

    it('shows a stream while it comes, and stops it', async () => {
      const made = { target: 'https://example.com/', code: 'watched' }
      expect((await service.request('POST', '/links', { token: editor.token, json: made })).status).to.equal(201)
      await useToken(editor.token)
      await openForm('watchLinkVisits')
      await form('watchLinkVisits').locator('input[name=code]').fill('watched')
      await form('watchLinkVisits').locator('button.main').click()
      await form('watchLinkVisits').locator('.status', { hasText: '200' }).waitFor()
      await form('watchLinkVisits').locator('.body', { hasText: /\S/ }).waitFor()
      await form('watchLinkVisits').locator('.stop').click()
      await form('watchLinkVisits').locator('.status', { hasText: 'Stopped' }).waitFor()
    })
  })

  it('copies what stands in a block of code', async () => {
    await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: service.baseUrl })
    await open('/docs#createLink')
    const block = page.locator('#createLink .code').first()
    await block.hover()
    await block.locator('.copy').click()
    await block.locator('.copy', { hasText: 'Copied' }).waitFor()
    expect(await page.evaluate('navigator.clipboard.readText()')).to.equal(await block.locator('code').textContent())
  })

  it('can be read and walked through by keyboard without a script', async () => {
    const browser: Browser | null = context.browser()
    const plain = await (browser ?? expect.fail('no browser')).newContext({
      javaScriptEnabled: false,
      viewport: WIDE,
    })
    try {
      const reader = await plain.newPage()
      await reader.goto(`${service.baseUrl}/docs`)
      expect(await reader.locator('search').isVisible()).to.equal(false)
      expect(await reader.locator('#createLink h3').isVisible()).to.equal(true)
      await reader.locator('.contents a[href="#createLink"]').click()
      expect(reader.url()).to.include('#createLink')
      await reader.locator('#createLink summary', { hasText: /refusals/ }).click()
      expect(await reader.locator('#createLink .refusals').isVisible()).to.equal(true)
    } finally {
      await plain.close()
    }
  })
})
