import type { Page } from 'playwright-core'

import { createPasswords } from '../src/identity/password.js'
import { hasChromium, openChromium } from '../test/support/chromium.js'
import { openBenchDatabase } from './database.js'
import { measure } from './measure.js'
import type { Suite } from './report.js'
import { collectServers, startLinkgate } from './server.js'

const PASSWORD = 'a long password'
/** As on a phone: the budget is a second at a fourth of the speed. */
const SLOWER = 4

/**
 * From the request of the page until somebody signed in can type an address, and until their links are shown, with 50
 * of them, in Chromium with a processor that is four times slower. Its cache is as a second visit finds it.
 */
export const consoleSuite = async (): Promise<readonly Suite[]> => {
  if (!hasChromium) return []
  const database = await openBenchDatabase()
  const { started, stopAll } = collectServers()
  try {
    const { origin } = new URL((await started(startLinkgate(database.environment()))).url)
    await database.addLinks(1, 500)
    const hash = await (await createPasswords()).hash(PASSWORD)
    await database.client.query('update users set password_hash = $1 where id = $2', [hash, database.editor.id])
    const context = await openChromium()
    try {
      const page = await context.newPage()
      await signIn(page, origin)
      const session = await context.newCDPSession(page)
      await session.send('Emulation.setCPUThrottlingRate', { rate: SLOWER })
      const until = (shown: string) => async () => {
        await page.goto(`${origin}/console`, { waitUntil: 'commit' })
        await page.locator(shown).first().waitFor()
      }
      const after = async () => {
        await page.goto('about:blank')
      }
      const measured = await measure(
        [
          { name: 'the field for a link', batch: 1, run: until('[name=target]'), after },
          { name: 'fifty links', batch: 1, run: until('tbody tr:nth-child(50)'), after },
        ],
        { rounds: 7, warmups: 1 },
      )
      return [
        { title: `Console, processor ${SLOWER} times slower`, baseline: 'the field for a link', unit: 'ms', measured },
      ]
    } finally {
      // the shared browser, which would keep the bench from ending
      await context.browser()?.close()
    }
  } finally {
    await stopAll()
    await database.close()
  }
}

const signIn = async (page: Page, origin: string): Promise<void> => {
  await page.goto(`${origin}/console`)
  await page.getByLabel('E-mail address').fill('editor@example.com')
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
  await page.keyboard.press('Enter')
  await page.locator('tbody tr').first().waitFor()
}
