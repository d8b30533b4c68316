import { expect } from 'chai'
import type { BrowserContext, Page, Route } from 'playwright-core'

import { PASSWORD } from './account.js'
import { LOOKS, axeFaults } from './axe.js'
import { hasChromium, openChromium } from './chromium.js'
import type { TestService, TestUser } from './service.js'
import { until } from './until.js'

/** What pages complained about: errors, violations of the content security policy, requests to other origins. */
const complaints: string[] = []
const consoles: BrowserContext[] = []

/**
 * Tests of the console in a browser; skipped where there is none. A test fails where a page complains in the meantime.
 * The browsers that the tests open are closed after the last, before the `after` of `tests`.
 */
export const describeConsole = (title: string, tests: () => void): void => {
  ;(hasChromium ? describe : describe.skip)(`${title} (needs chromium)`, () => {
    after(() => Promise.all(consoles.splice(0).map((each) => each.close())))
    afterEach(() => {
      expect(complaints.splice(0)).to.deep.equal([])
    })
    tests()
  })
}

/** A browser with one user's session. */
export interface ConsoleBrowser {
  readonly context: BrowserContext
  /** `METHOD /path` of every request to the service */
  readonly asked: Set<string>
  /** a page of its own */
  readonly open: (path?: string) => Promise<Page>
}

/** What the network says of an answer that is a refusal: the page shows it, so it is no complaint. */
const OF_THE_NETWORK = 'Failed to load resource'

/** A browser in which nobody has signed in yet. */
export const openConsole = async (service: TestService): Promise<ConsoleBrowser> => {
  const context = await openChromium()
  consoles.push(context)
  context.setDefaultTimeout(15_000)
  const asked = new Set<string>()
  context.on('page', (page) => {
    page.on('console', (message) => {
      if (!message.text().startsWith(OF_THE_NETWORK)) complaints.push(message.text())
    })
    page.on('pageerror', ({ message }) => complaints.push(message))
    page.on('request', (request) => {
      const url = new URL(request.url())
      if (url.origin === service.baseUrl) asked.add(`${request.method()} ${url.pathname}`)
      else if (url.protocol.startsWith('http')) complaints.push(`asked ${url.origin}`)
    })
  })
  const open = async (path = '/console') => {
    const page = await context.newPage()
    await page.goto(`${service.baseUrl}${path}`)
    return page
  }
  return { context, asked, open }
}

/** Signs in at the door, and waits for the page behind it. */
export const signIn = async (page: Page, { email }: TestUser, heading = 'Links'): Promise<void> => {
  await page.getByLabel('E-mail address').fill(email)
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('heading', { level: 1, name: heading }).waitFor()
}

/** A browser in which a user has signed in, and the page on which they are. */
export const openSignedIn = async (
  service: TestService,
  user: TestUser,
): Promise<ConsoleBrowser & { readonly page: Page }> => {
  const browser = await openConsole(service)
  const page = await browser.open()
  await signIn(page, user)
  return { ...browser, page }
}

/** Forgets what pages complained about until now: for a test that makes them. */
export const forgiveComplaints = (): void => {
  complaints.length = 0
}

/** Opens a page of the console by its address, such as `/links/spring`. */
export const go = async (page: Page, path: string, heading: string | RegExp): Promise<void> => {
  await page.goto(new URL(`/console${path}`, page.url()).href)
  await page.getByRole('heading', { level: 1, name: heading }).waitFor()
}

/** Waits for a text. */
export const shown = (page: Page, text: string | RegExp): Promise<void> => page.getByText(text).first().waitFor()

/** Waits for what a page shows by more than a text. */
export const soon = (look: () => Promise<boolean>): Promise<boolean> => until('the page shows it', look)

/** What a page gets for its user's profile where their role may not read it. */
export const refuseProfile = (route: Route): Promise<void> =>
  route.fulfill({
    status: 403,
    contentType: 'application/problem+json',
    body: JSON.stringify({ type: 'about:blank', title: 'Forbidden', status: 403, code: 'role_not_allowed' }),
  })

/** Of what lies over something else axe can tell no colour. */
const UNTOLD = `({ id }) => id !== 'color-contrast'`

/** Pixels by which a page is wider than its window. */
const tooWide = (page: Page): Promise<number> =>
  page.evaluate('document.documentElement.scrollWidth - innerWidth').then(Number)

/** Gives the page another size, and waits for the frame in which its scripts have followed. */
export const resize = async (page: Page, size: { width: number; height: number }): Promise<void> => {
  await page.setViewportSize(size)
  await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))')
}

/** Fails where a page stays wider than its window: what a script lays out follows a new size a moment later. */
const requireFits = async (page: Page, what: string): Promise<void> => {
  const fits = until('it fits', async () => (await tooWide(page)) <= 0, { withinMs: 5_000 }).catch(() => false)
  if (!(await fits)) expect(await tooWide(page), what).to.be.at.most(0)
}

const WIDE = { width: 1_280, height: 800 }
/** The same at twice the size (WCAG 1.4.4). */
const ZOOMED = { width: 640, height: 400 }

/** Fails where a page is wider than its window, or axe finds something wrong. It is left wide and light. */
export const requireClean = async (page: Page, what: string): Promise<void> => {
  for (const { screen, colorScheme } of LOOKS) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    await resize(page, screen)
    const look = `${what}, ${screen.width} pixels, ${colorScheme}`
    await requireFits(page, look)
    expect(await axeFaults(page, { untold: UNTOLD }), look).to.deep.equal([])
  }
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' })
  await resize(page, ZOOMED)
  await requireFits(page, `${what}, at 200 %`)
  await resize(page, WIDE)
}
