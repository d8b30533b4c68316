import { expect } from 'chai'
import type { FileChooser, Locator, Page } from 'playwright-core'

import { PASSWORD, addAccount } from '../../support/account.js'
import { describeConsole, openConsole, shown } from '../../support/console.js'
import { listAt } from '../../support/json.js'
import { startTestService, type TestService, type TestUser } from '../../support/service.js'
import { until } from '../../support/until.js'

/** Stops of the tab key on the longest page. */
const MOST_STOPS = 150

describeConsole('the console by keys alone', () => {
  let service: TestService
  let editor: TestUser
  let page: Page

  before(async () => {
    service = await startTestService()
    editor = await addAccount(service, 'editor')
    const browser = await openConsole(service)
    // where a browser has nobody to ask, as without a window, it has to be told
    await browser.context.grantPermissions(['clipboard-read', 'clipboard-write'])
    page = await browser.open()
  })
  after(() => service.stop())

  const press = (key: string) => page.keyboard.press(key)
  const hasFocus = async (target: Locator) => (await page.locator(':focus').and(target).count()) > 0
  /** Presses Tab until the control has the focus: nobody can get to one that this does not find. */
  const tabTo = async (target: Locator, key = 'Tab') => {
    await target.waitFor()
    for (let stop = 0; stop < MOST_STOPS; stop += 1) {
      if (await hasFocus(target)) return
      await press(key)
    }
    throw new Error(`no key leads to ${String(target)}`)
  }
  const button = (name: string | RegExp) => page.getByRole('button', { name, exact: typeof name === 'string' }).first()
  const push = async (name: string | RegExp) => {
    await tabTo(button(name))
    await press('Enter')
  }
  const type = async (label: string, text: string) => {
    await tabTo(page.getByLabel(label, { exact: true }))
    await press('Control+a')
    await page.keyboard.type(text)
  }
  const goTo = async (entry: string, heading: string | RegExp = entry) => {
    await tabTo(page.getByRole('navigation').getByRole('link', { name: entry, exact: true }))
    await press('Enter')
    const title = page.getByRole('heading', { level: 1, name: heading })
    await title.waitFor()
    await until('the page has the focus', () => hasFocus(title))
  }

  it('signs in, makes a link, copies it, and finds it', async () => {
    await type('E-mail address', editor.email)
    await type('Password', PASSWORD)
    await press('Enter')
    await page.getByRole('heading', { level: 1, name: 'Links' }).waitFor()
    await press('c')
    await page.keyboard.type('https://example.com/by-keys')
    await press('Enter')
    await until('a button that copies it has the focus', async () => {
      const focused = await page.locator(':focus').allInnerTexts()
      return focused.some((text) => text.startsWith('Cop'))
    })
    await press('Enter')
    await shown(page, 'Copied')
    const said = await page.getByRole('status').allInnerTexts()
    expect(
      said.filter((text) => text.includes('Copied')),
      'read out once',
    ).to.have.length(1)
    const made = await page.locator('.made a').first().getAttribute('href')
    expect(await page.evaluate('navigator.clipboard.readText()')).to.equal(made)
    await tabTo(page.getByRole('searchbox').first())
    await page.keyboard.type('by-keys')
    await shown(page, 'example.com/by-keys')
    await press('Escape')
  })

  it('opens a link, changes it, and comes back', async () => {
    await goTo('Trash')
    await goTo('Links')
    await page.locator('tbody tr').first().waitFor()
    await press('j')
    await press('Enter')
    await page.getByRole('heading', { level: 1, name: /\// }).waitFor()
    await push('Edit')
    await type('Title', 'By keys')
    await push('Save')
    await shown(page, 'Saved.')
    await tabTo(page.getByRole('switch', { name: 'On' }))
    await press('Space')
    await shown(page, 'It is off.')
    await press('Space')
    await until('it is on', async () => {
      const { json } = await service.request('GET', '/links?state=active', { token: editor.token })
      return listAt(json, 'data').length > 0
    })
  })

  it('selects links, deletes them, and restores one from the trash', async () => {
    await goTo('Links')
    await page.locator('tbody tr').first().waitFor()
    await press('j')
    await press('x')
    await push(/^Delete 1/)
    const confirm = page.getByRole('dialog').getByRole('button', { name: /^Delete/ })
    if (await confirm.isVisible().catch(() => false)) {
      await tabTo(confirm)
      await press('Enter')
    }
    await shown(page, /deleted/i)
    await goTo('Trash')
    await page.locator('tbody tr').first().waitFor()
    await press('j')
    await until('its row has the focus', () => hasFocus(button(/^Restore/)))
    await press('Enter')
    await until('it is back', async () => {
      const { json } = await service.request('GET', '/links', { token: editor.token })
      return listAt(json, 'data').length > 0
    })
  })

  it('imports a file', async () => {
    await goTo('Import')
    await tabTo(button('Choose a file'))
    let chooser: FileChooser | undefined
    page.once('filechooser', (opened) => (chooser = opened))
    const asked = await until('a file is asked for', async () => {
      await press('Enter')
      return chooser
    })
    const file = { name: 'keys.csv', mimeType: 'text/csv', buffer: Buffer.from('target\nhttps://example.com/file\n') }
    await asked.setFiles(file)
    await push('Import 1 link')
    await shown(page, /^1 link made\./)
  })

  it('makes a token, revokes it, and changes the theme', async () => {
    await goTo('Settings')
    await push('Make a token')
    await type('What it is for', 'keys')
    await push('Make the token')
    await shown(page, 'This secret is shown once. Copy it now.')
    await push('Copy')
    await shown(page, 'Copied')
    const secret = await page.getByRole('dialog').getByRole('textbox').inputValue()
    expect(await page.evaluate('navigator.clipboard.readText()')).to.equal(secret)
    await page.evaluate('navigator.clipboard.writeText = () => Promise.reject(new Error("refused"))')
    await push(/^Cop/)
    await shown(page, 'Not copied: the browser refuses')
    await push('I have copied it')
    await push('Revoke keys')
    await tabTo(page.getByRole('dialog').getByRole('button', { name: 'Revoke' }))
    await press('Enter')
    await shown(page, 'keys is revoked.')
    await tabTo(page.getByLabel('As the system'))
    await press('ArrowRight')
    await until(
      'the theme changed',
      async () => (await page.evaluate('document.documentElement.dataset.theme')) !== undefined,
    )
  })

  it('signs out', async () => {
    await push('Sign out')
    await page.getByLabel('E-mail address').waitFor()
  })
})
