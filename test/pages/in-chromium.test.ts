import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'

import { expect } from 'chai'
import type { BrowserContext, Page } from 'playwright-core'

import { LOOKS, axeFaults } from '../support/axe.js'
import { hasChromium, openChromium } from '../support/chromium.js'
import { addAccountToken } from '../support/records.js'
import { startVisitedService, type VisitedService } from '../support/visited-pages.js'

/** The narrowest screen that is promised. */
const NARROWEST = { width: 320, height: 568 }

;(hasChromium ? describe : describe.skip)('the pages in a browser (needs chromium)', () => {
  let service: VisitedService
  let browser: BrowserContext
  let page: Page
  /** what the browser held against a page, such as a breach of its policy */
  const complaints: string[] = []

  before(async () => {
    service = await startVisitedService()
    browser = await openChromium()
    page = await browser.newPage()
    page.on('console', (message) => {
      // a browser also notes the status of what is refused, which is right
      if (!message.text().startsWith('Failed to load resource: the server responded with'))
        complaints.push(message.text())
    })
    page.on('pageerror', ({ message }) => complaints.push(message))
  })
  after(async () => {
    await browser.close()
    await service.stop()
  })
  afterEach(() => {
    service.refuse(null)
    expect(complaints.splice(0)).to.deep.equal([])
  })

  const passwordLink = async () =>
    `/auth/password/reset?token=${await addAccountToken(service.db, (await service.addUser('viewer')).id)}`
  const open = (path: string) => page.goto(`${service.baseUrl}${path}`)
  // a browser moves the focus when it first draws a page, which may be after the page was loaded
  const hasFocus = (selector: string) => page.waitForSelector(`${selector}:focus`)
  const focused = () => page.evaluate('document.activeElement.id || document.activeElement.className')

  const REFUSED = ['link_expired', 'password_required', 'wrong_password', 'policy_denied', 'rate_limited'] as const
  const PAGES: readonly (readonly [name: string, go: () => Promise<unknown>])[] = [
    ['/', () => open('/')],
    ['of no link', () => open('/absent')],
    ['of no address', () => open('/no/such/address')],
    ['of a preview', () => open('/launch+')],
    ['of an invitation', async () => open(await service.invite())],
    [
      'of an invitation with faults',
      async () => {
        await open(await service.invite())
        await page.evaluate(`document.querySelector('form').noValidate = true`)
        await page.fill('#name', ' ')
        await page.fill('#password', 'short')
        await Promise.all([page.waitForURL(/accept/, { waitUntil: 'load' }), page.press('#password', 'Enter')])
        await page.waitForSelector('#password-fault')
      },
    ],
    ['of no invitation', () => open('/invitations/x/accept')],
    ['of a new password', async () => open(await passwordLink())],
    [
      'of a new password with a fault',
      async () => {
        await open(await passwordLink())
        await page.evaluate(`document.querySelector('form').noValidate = true`)
        await page.fill('#password', 'short')
        await Promise.all([page.waitForURL(/reset$/, { waitUntil: 'load' }), page.press('#password', 'Enter')])
        await page.waitForSelector('#password-fault')
      },
    ],
    [
      'of a new address',
      async () => {
        const { id } = await service.addUser('viewer')
        await open(`/auth/email/confirm?token=${await addAccountToken(service.db, id, 'new@example.com')}`)
      },
    ],
    ['of a link that is over', () => open('/auth/password/reset?token=x')],
    ['for people who are not signed in', () => open('/links')],
    ...REFUSED.map(
      (code) =>
        [
          `of ${code}`,
          async () => {
            service.refuse(code)
            await open('/launch')
          },
        ] as const,
    ),
  ]

  for (const [name, go] of PAGES)
    it(`has nothing that axe finds wrong, light and dark, and fits a phone: the page ${name}`, async () => {
      await go()
      for (const { screen, colorScheme } of LOOKS) {
        await page.emulateMedia({ colorScheme })
        await page.setViewportSize(screen)
        expect(await axeFaults(page), `${colorScheme}, ${screen.width}`).to.deep.equal([])
      }
      await page.setViewportSize(NARROWEST)
      expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth'), 'pixels too wide').to.be.at.most(
        0,
      )
    })

  it('shows itself in the colours of light and of dark', async () => {
    const ground = async (colorScheme: 'light' | 'dark') => {
      await page.emulateMedia({ colorScheme })
      await open('/')
      return page.evaluate('getComputedStyle(document.body).backgroundColor')
    }
    expect([await ground('light'), await ground('dark')]).to.deep.equal([
      'oklch(0.984 0.003 95)',
      'oklch(0.172 0.008 262)',
    ])
  })

  it('an invitation is accepted by keyboard alone', async () => {
    await open(await service.invite('keyboard@example.com'))
    await page.keyboard.press('Tab')
    expect(await focused()).to.equal('name')
    await page.keyboard.type('Ada')
    await page.keyboard.press('Tab')
    expect(await focused()).to.equal('password')
    await page.keyboard.type('a long password')
    await page.keyboard.press('Tab')
    expect(await focused()).to.equal('main')
    await page.keyboard.press('Enter')
    await page.waitForSelector('text=Your account is ready')
    expect(await service.db.asOwner(`select name from users where email = 'keyboard@example.com'`)).to.deep.equal([
      { name: 'Ada' },
    ])
  })

  it('a new password is chosen by keyboard alone', async () => {
    await open(await passwordLink())
    await page.keyboard.press('Tab')
    expect(await focused()).to.equal('password')
    await page.keyboard.type('a long password')
    await page.keyboard.press('Tab')
    expect(await focused()).to.equal('end-tokens')
    await page.keyboard.press('Space')
    await page.keyboard.press('Tab')
    expect(await focused()).to.equal('main')
    await page.keyboard.press('Enter')
    await page.waitForSelector('text=Your new password is set')
  })

  it('puts the focus into the first field with a fault', async () => {
    service.refuse('wrong_password')
    await open('/launch')
    await hasFocus('#password')
    const described = await page.evaluate(
      `document.getElementById(document.activeElement.getAttribute('aria-describedby')).textContent`,
    )
    expect(described).to.equal('That is not the password of this link. Capitals count.')
  })

  it('leads on from a preview by the link itself', async () => {
    await open('/launch+')
    const href = await page.evaluate(`document.querySelector('a.main').href`)
    expect(href).to.equal(`${service.baseUrl}/launch`)
  })

  it('a password is sent where the form stands, and the redirect after it is followed to another site', async () => {
    const seen: string[] = []
    const target = await listen((request, response) => {
      if (request.url !== '/favicon.ico') seen.push(`${request.url} referer=${request.headers.referer ?? 'none'}`)
      response.end('the target')
    })
    try {
      await service.add({
        code: 'guarded',
        target: `${originOf(target)}/there`,
        password: 'open sesame',
        forward_query: true,
      })
      await open('/guarded?utm_source=mail')
      await hasFocus('#password')
      await page.keyboard.type('open simsim')
      await page.keyboard.press('Enter')
      await page.waitForSelector('.fault')
      await hasFocus('#password')
      expect(seen).to.deep.equal([])
      await page.keyboard.type('open sesame')
      await page.keyboard.press('Enter')
      await page.waitForSelector('text=the target')
      expect(seen).to.deep.equal(['/there?utm_source=mail referer=none'])
    } finally {
      await close(target)
    }
  })
})

const listen = async (answer: RequestListener): Promise<Server> => {
  const server = createServer(answer).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return server
}

const originOf = (server: Server): string => {
  const address: AddressInfo | string | null = server.address()
  return typeof address === 'object' && address !== null ? `http://127.0.0.1:${address.port}` : ''
}

const close = async (server: Server): Promise<void> => {
  server.closeAllConnections()
  server.close()
  await once(server, 'close')
}
