import { expect } from 'chai'
import type { BrowserContext, Page } from 'playwright-core'

import { createPasswords } from '../../src/identity/password.js'
import { axeFaults } from './axe.js'
import { openChromium } from './chromium.js'
import type { TestService, TestUser } from './service.js'
import { until } from './until.js'

export const PASSWORD = 'a long password'

/** Gives a user of a test a password to sign in with. */
export const givePassword = async (service: TestService, user: TestUser): Promise<void> => {
  const hash = await (await createPasswords()).hash(PASSWORD)
  await service.db.asOwner('update users set password_hash = $1 where id = $2', [hash, user.id])
}

/** A browser with one user's session, and everything that was wrong in it. */
export interface ConsoleBrowser {
  readonly context: BrowserContext
  /** what a page complained about: errors, violations of the content security policy */
  readonly complaints: string[]
  /** `METHOD /path` of every request to the service */
  readonly asked: Set<string>
  /** a page of its own */
  readonly open: (path?: string) => Promise<Page>
  readonly signIn: (page: Page, user: TestUser) => Promise<void>
}

/** What the network says of an answer that is a refusal: the page shows it, so it is no complaint. */
const OF_THE_NETWORK = 'Failed to load resource'

export const openConsole = async (service: TestService): Promise<ConsoleBrowser> => {
  const context = await openChromium()
  context.setDefaultTimeout(15_000)
  const complaints: string[] = []
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
  return {
    context,
    complaints,
    asked,
    open,
    signIn: async (page, user) => {
      await page.getByLabel('E-mail address').fill(user.email)
      await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
      await page.getByRole('button', { name: 'Sign in' }).click()
      await page.getByRole('heading', { level: 1, name: 'Links' }).waitFor()
    },
  }
}

/** Of what lies over something else axe can tell no colour. */
const UNTOLD = `({ id }) => id !== 'color-contrast'`

/** Pixels by which a page is wider than its window. */
const tooWide = (page: Page): Promise<number> =>
  page.evaluate('document.documentElement.scrollWidth - innerWidth').then(Number)

/** Fails where a page stays wider than its window: what a script lays out follows a new size a moment later. */
const requireFits = async (page: Page, what: string): Promise<void> => {
  const fits = until('it fits', async () => (await tooWide(page)) <= 0, { withinMs: 5_000 }).catch(() => false)
  if (!(await fits)) expect(await tooWide(page), what).to.be.at.most(0)
}

const WIDE = { width: 1_280, height: 800 }
/** The narrowest that it has to fit. */
const PHONE = { width: 360, height: 780 }

/** The wide one at twice the size (WCAG 1.4.4). */
const ZOOMED = { width: 640, height: 400 }

/** Fails where a page is wider than its window, or axe finds something wrong, wide and narrow, light and dark. */
export const requireClean = async (page: Page, what: string): Promise<void> => {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    for (const screen of [WIDE, PHONE]) {
      await page.setViewportSize(screen)
      await requireFits(page, `${what}, ${screen.width} pixels`)
      expect(
        await axeFaults(page, { untold: UNTOLD }),
        `${what}, ${screen.width} pixels, ${colorScheme}`,
      ).to.deep.equal([])
    }
  }
  await page.setViewportSize(ZOOMED)
  await requireFits(page, `${what}, at 200 %`)
  await page.setViewportSize(WIDE)
}
