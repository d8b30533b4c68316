import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'

import { expect } from 'chai'
import type { Locator, Page } from 'playwright-core'

import { deferred } from '../../src/domain/deferred.js'
import { PASSWORD, addAccount } from '../support/account.js'
import { hasBackCache, openWithBackCache } from '../support/chromium.js'
import {
  describeConsole,
  forgiveComplaints,
  go,
  openConsole,
  openSignedIn,
  requireClean,
  resize,
  shown,
  signIn,
  soon,
  type ConsoleBrowser,
} from '../support/console.js'
import { editPolicy } from '../support/edit-policy.js'
import { at, listAt } from '../support/json.js'
import { addLink, freshCode } from '../support/records.js'
import { startTestService, type TestService, type TestUser } from '../support/service.js'

describeConsole('the console in a browser', () => {
  let service: TestService
  let editor: TestUser
  let browser: ConsoleBrowser
  let page: Page

  before(async () => {
    service = await startTestService()
    editor = await addAccount(service, 'editor')
    browser = await openConsole(service)
    page = await browser.open()
  })
  after(() => service.stop())

  const row = (code: string) => page.locator(`tr[data-code="${code}"]`)
  const focusedName = () => page.evaluate(`document.activeElement?.getAttribute('name') ?? ''`)
  const isOver = (name: string) => soon(async () => (await page.getByRole('dialog', { name }).count()) === 0)

  describe('the door', () => {
    it('is clean, and says what was wrong while the address stays', async () => {
      await page.getByRole('heading', { name: 'Sign in to Linkgate' }).waitFor()
      await requireClean(page, 'the door')
      await page.getByLabel('E-mail address').fill(editor.email)
      await page.getByLabel('Password', { exact: true }).fill('not the password')
      await page.keyboard.press('Enter')
      await shown(page, 'That is not the right address or password.')
      expect(await page.getByLabel('E-mail address').inputValue()).to.equal(editor.email)
      await requireClean(page, 'the door after a wrong password')
    })

    it('shows the password that is typed, and hides it again', async () => {
      const field = page.getByLabel('Password', { exact: true })
      await page.getByRole('button', { name: 'Show the password' }).click()
      expect(await field.getAttribute('type')).to.equal('text')
      await page.getByRole('button', { name: 'Hide the password' }).click()
      expect(await field.getAttribute('type')).to.equal('password')
    })

    it('gives the focus to its heading once a link for a new password is on its way', async () => {
      const answer = { status: 202, contentType: 'application/json', body: '{}' }
      await page.route('**/auth/password/forgot', (route) => route.fulfill(answer))
      await page.getByRole('button', { name: 'Forgot your password?' }).click()
      await page.getByLabel('E-mail address').fill('nobody@example.com')
      await page.getByRole('button', { name: 'Send the link' }).press('Enter')
      await shown(page, 'If this address has an account')
      await soon(async () => (await page.evaluate('document.activeElement?.textContent')) === 'A new password')
      await page.unroute('**/auth/password/forgot')
      await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    })

    it('takes the address that was typed along to the form for a new password, and back', async () => {
      const field = page.getByLabel('E-mail address')
      await field.fill(editor.email)
      await page.getByRole('button', { name: 'Forgot your password?' }).click()
      await page.getByRole('button', { name: 'Send the link' }).waitFor()
      expect(await field.inputValue()).to.equal(editor.email)
      await field.fill('other@example.com')
      await page.getByRole('button', { name: 'Sign in', exact: true }).click()
      await page.getByLabel('Password', { exact: true }).waitFor()
      expect(await field.inputValue()).to.equal('other@example.com')
    })

    it('opens where the browser keeps nothing for any page, and forgets there what is chosen', async () => {
      const { context } = await openConsole(service)
      await context.addInitScript(`for (const name of ['localStorage', 'sessionStorage'])
        Object.defineProperty(window, name, { get: () => { throw new DOMException('denied', 'SecurityError') } })`)
      const tab = await context.newPage()
      await tab.goto(`${service.baseUrl}/console`)
      await signIn(tab, editor)
      await tab.keyboard.press('c')
      await soon(async () => (await tab.evaluate('document.activeElement?.name')) === 'target')
      await tab.getByRole('link', { name: 'Settings' }).click()
      await tab.getByLabel('Dark', { exact: true }).check({ force: true })
      expect(await tab.evaluate('document.documentElement.dataset.theme')).to.equal('dark')
      await tab.getByRole('switch').click()
      await context.close()
    })

    it('lets a user in, keeps no token where another page’s script could find it, and stays signed in', async () => {
      await signIn(page, editor)
      expect(await page.evaluate('JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])'))
        .to //
        .equal('[{},{},""]')
      await page.reload()
      await page.getByRole('heading', { level: 1, name: 'Links' }).waitFor()
    })
  })

  describe('the links', () => {
    before(async () => {
      await page.goto(`${service.baseUrl}/console`)
      await page.getByRole('heading', { level: 1, name: 'Links' }).waitFor()
    })

    it('begin empty, and say how to make the first', async () => {
      await shown(page, 'No link yet. Paste an address above and press Enter.')
      await requireClean(page, 'no links')
    })

    it('say of tags that cannot be loaded no word but that, and load them again', async () => {
      await page.route('**/tags', (route) => route.abort())
      await page.reload()
      await page.getByText('Tag: ').click()
      const menu = page.locator('.menu', { hasText: 'Tag: ' })
      await menu.getByText(/^No connection since/).waitFor()
      expect(await menu.getByText('none', { exact: true }).count()).to.equal(0)
      await page.unroute('**/tags')
      await menu.getByText('none', { exact: true }).waitFor()
      await page.keyboard.press('Escape')
    })

    it('are made by one field and Enter; the new address has the focus for copying, and leads there', async () => {
      await page.keyboard.press('c')
      await soon(async () => (await focusedName()) === 'target')
      await page.keyboard.type('https://example.com/made-by-hand')
      await page.keyboard.press('Enter')
      const made = page.locator('.made a').first()
      await made.waitFor()
      await page.waitForSelector('.made button:focus')
      const url = await made.getAttribute('href')
      const followed = await fetch(url ?? '', { redirect: 'manual' })
      expect(followed.headers.get('Location')).to.equal('https://example.com/made-by-hand')
      await shown(page, '1 of 1')
      await requireClean(page, 'a link that was just made')
    })

    it('keep what was typed where the service refuses it, and say what is wrong beside the field', async () => {
      const target = page.getByLabel('Address that the link leads to')
      await target.fill('ftp://example.com/file')
      await target.press('Enter')
      await page.locator('#target-fault').waitFor()
      expect(await target.inputValue()).to.equal('ftp://example.com/file')
      expect(await target.getAttribute('aria-invalid')).to.equal('true')
      await requireClean(page, 'a refused address')

      await target.fill('https://example.com/x')
      await page.getByRole('button', { name: 'Code, end, password' }).click()
      await page.getByLabel('Code', { exact: true }).fill('docs')
      await page.getByLabel('Title', { exact: true }).fill('Kept through it')
      await target.press('Enter')
      await shown(page, 'is reserved for the service')
      expect(await page.getByLabel('Title', { exact: true }).inputValue()).to.equal('Kept through it')
      await soon(async () => (await focusedName()) === 'code')
      await requireClean(page, 'all fields, one refused')

      const taken = freshCode('taken')
      await addLink(service.db, { code: taken, owner: editor.id })
      await page.getByLabel('Code', { exact: true }).fill(taken)
      await target.press('Enter')
      const field = page.locator('.field', { has: page.locator('[name=code]') })
      await field.getByText(`${taken} is taken.`).waitFor()
      await soon(async () => (await focusedName()) === 'code')
      expect(await page.getByRole('alert').count(), 'said once').to.equal(0)
      await field.getByText(/Free: /).waitFor()
      await requireClean(page, 'a code that is taken')
      expect(await field.getByRole('button').allTextContents()).to.deep.equal([
        `${taken}-2`,
        'kept-through-it',
        `${taken}-3`,
      ])
      await page.getByLabel('Code', { exact: true }).press('Tab')
      await page.keyboard.press('Enter')
      await soon(async () => (await focusedName()) === 'code')
      expect(await page.getByLabel('Code', { exact: true }).inputValue()).to.equal(`${taken}-2`)

      const code = freshCode('typed')
      await page.getByLabel('Code', { exact: true }).fill(code)
      await page.getByLabel('Tags', { exact: true }).fill('spring, print')
      await target.press('Enter')
      await row(code).waitFor()
      expect(await row(code).locator('.tag').allTextContents()).to.deep.equal(['spring', 'print'])
    })

    it('say of an end that is past what it means, before it is saved', async () => {
      await go(page, '', 'Links')
      await page.getByRole('button', { name: 'Code, end, password' }).click()
      const end = page.getByLabel('Ends', { exact: true })
      await end.fill('2020-01-01T10:00')
      await shown(page, 'visitors will be told that the link has ended')
      await requireClean(page, 'an end that is past')
      await end.fill('2999-01-01T10:00')
      await page.getByText('visitors will be told').waitFor({ state: 'detached' })

      const code = freshCode('over')
      await addLink(service.db, { code, owner: editor.id })
      await go(page, `?q=${code}`, 'Links')
      await page.getByLabel(`Select ${code}`).click()
      await page.getByRole('button', { name: 'Set an end' }).click()
      await page.getByRole('dialog').locator('[name=answer]').fill('2020-01-01T10:00')
      await shown(page, 'visitors will be told that the link has ended')
      await page.getByRole('button', { name: 'Cancel' }).click()
    })

    it('get what was typed into the other fields, though these were folded again', async () => {
      const target = page.getByLabel('Address that the link leads to')
      const fold = page.getByRole('button', { name: 'Code, end, password' })
      const code = freshCode('folded')
      await target.fill('https://example.com/folded')
      await fold.click()
      await page.getByLabel('Code', { exact: true }).fill(code)
      await page.getByLabel('Password for visitors').fill('only for friends')
      await fold.click()
      await page.getByLabel('Code', { exact: true }).waitFor({ state: 'hidden' })
      await target.press('Enter')
      await row(code).waitFor()
      const made = await service.request('GET', `/links/${code}`, { token: editor.token })
      expect(at(made.json, 'has_password')).to.equal(true)
      expect(await page.getByLabel('Code', { exact: true }).count(), 'fields for the next link').to.equal(0)
    })

    it('get nothing that Escape has cleared, and the status that is usual', async () => {
      const target = page.getByLabel('Address that the link leads to')
      const fold = page.getByRole('button', { name: 'Code, end, password' })
      await fold.click()
      await page.getByLabel('Redirect', { exact: true }).selectOption('308')
      await page.getByLabel('Pass the visitor’s parameters on').check()
      await page.getByLabel('Title', { exact: true }).fill('Not for the next')
      await page.keyboard.press('Escape')
      await soon(async () => (await focusedName()) === 'target')
      const code = freshCode('cleared')
      await page.getByLabel('Code', { exact: true }).fill(code)
      await target.fill('https://example.com/cleared')
      await target.press('Enter')
      await row(code).waitFor()
      const made = await service.request('GET', `/links/${code}`, { token: editor.token })
      expect(at(made.json, 'status')).to.equal(302)
      expect(at(made.json, 'forward_query')).to.equal(false)
      expect(at(made.json, 'title')).to.equal(null)
    })

    it('are found by a tag that one of them was given a moment ago', async () => {
      const [code, tag] = [freshCode('tagged'), freshCode('tag')]
      await addLink(service.db, { code, owner: editor.id })
      const loaded = page.waitForResponse('**/tags')
      await go(page, '', 'Links')
      await (await loaded).finished()
      await service.request('PATCH', `/links/${code}`, { token: editor.token, json: { tags: [tag] } })
      await page.getByText('Tag: ').click()
      await page.getByLabel(tag).waitFor()
      await page.keyboard.press('Escape')
    })

    it('are found as somebody types, and the address of the page keeps what was looked for', async () => {
      const code = freshCode('needle')
      await addLink(service.db, { code, owner: editor.id })
      await page.getByRole('searchbox').fill(code.slice(0, 12))
      await row(code).waitFor()
      await soon(async () => (await page.locator('tbody tr').count()) === 1)
      await page.waitForURL(({ searchParams }) => searchParams.get('q') === code.slice(0, 12))
      await page.getByRole('status').getByText('Found: 1 link', { exact: true }).waitFor()
      await page.reload()
      await row(code).waitFor()
      expect(await page.locator('tbody tr').count()).to.equal(1)

      const saving = page.waitForEvent('download')
      await page.getByRole('button', { name: 'Export these' }).click()
      const [, ...rows] = (await readFile(await (await saving).path(), 'utf8')).trimEnd().split('\n')
      expect(rows.map((line) => line.split(',')[1])).to.deep.equal([code])

      await page.getByRole('searchbox').fill('there is no such link')
      await shown(page, 'Nothing matches “there is no such link”.')
      await requireClean(page, 'nothing found')
      await page.getByRole('button', { name: 'Clear the filters' }).click()
      await row(code).waitFor()
      expect(await page.getByRole('searchbox').inputValue()).to.equal('')

      await go(page, '?q=none&tag=a+b&state=inactive', 'Links')
      await shown(page, 'Nothing matches “none”, tag: a b, and state: off.')
    })

    it('are at the address of one of them without its code, too', async () => {
      await go(page, '/links', 'Links')
      expect(await page.getByRole('link', { name: 'Links', exact: true }).getAttribute('aria-current')).to.equal('page')
      await go(page, '', 'Links')
    })

    it('show their codes where there is no room for the host beside these', async () => {
      const code = freshCode('c').slice(0, 10)
      await addLink(service.db, { code, owner: editor.id })
      await go(page, `?q=${code}`, 'Links')
      await row(code).waitFor()
      await resize(page, { width: 1_000, height: 800 })
      const [link, shownCode] = await Promise.all(
        ['a', 'strong'].map((part) => row(code).locator('.link-cell').locator(part).boundingBox()),
      )
      await resize(page, { width: 1_280, height: 800 })
      expect(shownCode?.width).to.be.greaterThan(0)
      expect((shownCode?.x ?? 0) + (shownCode?.width ?? 0)).to.be.at.most((link?.x ?? 0) + (link?.width ?? 0))
      await go(page, '', 'Links')
    })

    it('leave the address to which they lead room on a window of any width', async () => {
      const code = freshCode('wide')
      await addLink(service.db, { code, owner: editor.id })
      await go(page, `?q=${code}`, 'Links')
      await row(code).waitFor()
      for (const width of [760, 899, 900, 1_000, 1_099]) {
        await resize(page, { width, height: 800 })
        const box = await row(code).locator('td').nth(2).boundingBox()
        expect(box?.width, `${width} pixels`).to.be.at.least(120)
        expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).to.be.at.most(0)
      }
      await go(page, '/trash', 'Trash')
      await page.locator('tbody tr, .empty').first().waitFor()
      expect(await page.locator('th:not(:visible)').count(), 'the head of the trash').to.equal(0)
      await resize(page, { width: 1_280, height: 800 })
      await go(page, '', 'Links')
    })

    it('come page by page as somebody scrolls', async () => {
      await Promise.all(Array.from({ length: 60 }, () => addLink(service.db, { owner: editor.id })))
      await page.reload()
      await shown(page, /^50 of [67]\d$/)
      await page.route(/cursor=/, (route) => route.abort())
      await page.locator('.list-foot').scrollIntoViewIfNeeded()
      // where whoever scrolled looks: below the rows
      await page.locator('table ~ .note', { hasText: 'No connection' }).waitFor()
      await page.unroute(/cursor=/)
      await page.getByRole('button', { name: 'Try again' }).click()
      await shown(page, /^([67]\d) of \1$/)
      expect(await page.locator('.note').count()).to.equal(0)
    })

    it('have the focus below the last of them once the button that loads more is gone', async () => {
      const isFocused = deferred()
      await page.route(/cursor=/, async (route) => {
        await isFocused.promise
        return route.continue()
      })
      await page.reload()
      await shown(page, /^50 of [67]\d$/)
      await page.getByRole('button', { name: 'Load more' }).focus()
      isFocused.resolve()
      await page.locator('.list-foot span:focus', { hasText: /^([67]\d) of \1$/ }).waitFor()
      await page.unroute(/cursor=/)
    })

    it('come page by page in the order that was chosen last', async () => {
      await page.reload()
      await shown(page, /^50 of [67]\d$/)
      const begun = page.waitForResponse((response) => response.url().includes('sort=code'))
      await page.getByLabel('Sorted by').selectOption({ label: 'code' })
      await begun
      const more = page.waitForRequest((request) => request.url().includes('cursor='))
      // one that is made meanwhile is in front, and comes again with its page
      const code = freshCode('zz')
      await page.getByRole('button', { name: 'Code, end, password' }).click()
      await page.getByLabel('Code', { exact: true }).fill(code)
      await page.getByLabel('Address that the link leads to').fill('https://example.com/last')
      await page.getByLabel('Code', { exact: true }).press('Enter')
      await row(code).waitFor()
      await page.locator('.list-foot').scrollIntoViewIfNeeded()
      expect(new URL((await more).url()).searchParams.get('sort')).to.equal('code')
      await shown(page, /^([67]\d) of \1$/)
      expect(await row(code).count()).to.equal(1)
      await page.getByLabel('Sorted by').selectOption({ label: 'newest' })
      await page.waitForURL(({ search }) => search === '')
    })

    it('stay deleted where a list from before comes late', async () => {
      const code = freshCode('late')
      await addLink(service.db, { code, owner: editor.id })
      await page.reload()
      await row(code).waitFor()
      const begun = deferred()
      const deleted = deferred()
      await page.route(/\/links\?.*sort=code/, async (route) => {
        const response = await route.fetch()
        begun.resolve()
        await deleted.promise
        await route.fulfill({ response })
      })
      await page.getByLabel('Sorted by').selectOption({ label: 'code' })
      await begun.promise
      await row(code).getByRole('button', { name: 'Delete' }).click()
      await row(code).waitFor({ state: 'detached' })
      const late = page.waitForResponse(/sort=code/)
      deleted.resolve()
      await late
      await page.locator('.busy-bar').waitFor({ state: 'detached' })
      expect(await row(code).count()).to.equal(0)
      await page.unroute(/\/links\?.*sort=code/)
      await page.getByLabel('Sorted by').selectOption({ label: 'newest' })
      await page.waitForURL(({ search }) => search === '')
    })

    it('are changed and deleted many at once, and come back from the trash', async () => {
      const codes = [freshCode('bulk'), freshCode('bulk'), freshCode('bulk')]
      for (const code of codes) await addLink(service.db, { code, owner: editor.id })
      await page.goto(`${service.baseUrl}/console?q=bulk-`)
      for (const code of codes) await page.getByLabel(`Select ${code}`).click()
      await shown(page, '3 selected')
      await requireClean(page, 'three selected')

      await page.getByRole('button', { name: 'Tag', exact: true }).click()
      await page.getByLabel('Tags, separated by commas').fill('together')
      await requireClean(page, 'the dialog of tags')
      await page.getByRole('button', { name: 'Add' }).click()
      await shown(page, '3 links changed.')
      await isOver('Tag 3 links')
      for (const code of codes)
        expect(await row(code).locator('.tag').allTextContents(), code).to.deep.equal(['together'])

      const [tagged = ''] = codes
      const [json, token] = [{ tags: ['somebody else'] }, editor.token]
      expect((await service.request('PATCH', `/links/${tagged}`, { token, json })).status).to.equal(200)
      await page.getByRole('button', { name: 'Tag', exact: true }).click()
      await page.getByLabel('Tags, separated by commas').fill('a, b, c, d')
      await page.getByRole('button', { name: 'Add' }).click()
      await shown(page, '2 links changed.')
      // a row shows three, and how many more there are
      await row(codes[1] ?? '')
        .getByRole('link', { name: '2 more tags' })
        .waitFor()
      expect(
        await row(codes[1] ?? '')
          .locator('.tag')
          .allTextContents(),
      ).to.deep.equal(['together', 'a', 'b', '+2'])
      await shown(page, /^1 link could not be changed: /)
      const { json: kept } = await service.request('GET', `/links/${tagged}`, { token })
      expect(at(kept, 'tags')).to.deep.equal(['somebody else'])

      await page.getByRole('button', { name: 'Switch off' }).first().click()
      await soon(async () => (await page.locator('.badge.paused').count()) === 3)
      await page.getByRole('button', { name: 'Delete 3' }).click()
      await shown(page, '3 links deleted. Restore within 30 days, from the trash.')
      await soon(async () => (await page.locator('tbody tr').count()) === 0)

      await page.getByRole('link', { name: 'Trash' }).click()
      await page.getByRole('heading', { level: 1, name: 'Trash' }).waitFor()
      const [code = ''] = codes
      await page.getByRole('button', { name: `Restore ${code}` }).waitFor()
      await requireClean(page, 'the trash')
      await page.keyboard.press('/')
      await page.keyboard.type('such a link was never there')
      await page.getByText('Nothing matches “such a link was never there”.').waitFor()
      await page.getByRole('button', { name: 'Clear the filters' }).click()
      await page.getByRole('button', { name: `Restore ${code}` }).waitFor()
      await page.getByRole('searchbox').fill(code.toUpperCase())
      await page.getByText('1 of 1', { exact: true }).waitFor()
      await page.reload()
      await page.getByText('1 of 1', { exact: true }).waitFor()
      await page.getByRole('searchbox').fill('')
      await page.getByRole('button', { name: `Restore ${codes[1]}` }).waitFor()
      await page.getByRole('button', { name: `Restore ${code}` }).click()
      await shown(page, `${code} is back.`)
      expect(await page.locator('tbody :focus').count(), 'the focus goes to the next').to.equal(1)
      expect((await service.request('GET', `/links/${code}`, { token: editor.token })).status).to.equal(200)
    })

    it('are not said to be made any more once they are deleted', async () => {
      await page.goto(`${service.baseUrl}/console`)
      await page.getByLabel('Address that the link leads to').fill('https://example.com/brief')
      await page.keyboard.press('Enter')
      await page.waitForSelector('.made button:focus')
      const url = await page.locator('.made a').first().getAttribute('href')
      const code = new URL(url ?? '').pathname.slice(1)
      await page.getByRole('button', { name: `Delete ${code}` }).click()
      await row(code).waitFor({ state: 'detached' })
      await page.locator('.made').waitFor({ state: 'detached' })
    })

    it('are taken back at once after a delete', async () => {
      const code = freshCode('undo')
      await addLink(service.db, { code, owner: editor.id })
      await page.goto(`${service.baseUrl}/console?q=${code}`)
      await page.getByRole('button', { name: `Delete ${code}` }).click()
      await row(code).waitFor({ state: 'detached' })
      await page.route('**/restore', (route) => route.abort())
      await page.getByRole('button', { name: 'Undo' }).click()
      await page.locator('.toast', { hasText: /No connection since/ }).waitFor()
      await page.unroute('**/restore')
      await page.getByRole('button', { name: 'Undo' }).click()
      await row(code).waitFor()
      await soon(async () => (await page.locator('h1:focus').count()) === 1)
    })

    it('are each announced as deleted, though the words are the same', async () => {
      const codes = [freshCode('again'), freshCode('again')]
      for (const code of codes) await addLink(service.db, { code, owner: editor.id })
      await go(page, '?q=again-', 'Links')
      await page.evaluate(`{
        announced = []
        const hear = (changes) => {
          for (const { addedNodes } of changes) for (const { textContent } of addedNodes) announced.push(textContent)
        }
        new MutationObserver(hear).observe(document.querySelector('.toasts'), { childList: true, subtree: true })
      }`)
      for (const code of codes) {
        await page.getByRole('button', { name: `Delete ${code}` }).click()
        await row(code).waitFor({ state: 'detached' })
      }
      const heard = async () => String(await page.evaluate('announced.join()'))
      await soon(async () => /^Deleted[.].*Deleted[.]/.test(await heard()))
    })

    it('can be taken back for as long as somebody stands on the button that does it', async () => {
      const code = freshCode('slow')
      await addLink(service.db, { code, owner: editor.id })
      const tab = await browser.context.newPage()
      await tab.clock.install()
      await tab.goto(`${service.baseUrl}/console?q=${code}`)
      await tab.getByRole('button', { name: `Delete ${code}` }).click()
      const undo = tab.getByRole('button', { name: 'Undo' })
      await undo.focus()
      await tab.clock.fastForward(11_000)
      expect(await undo.count()).to.equal(1)
      await tab.getByRole('heading', { level: 1 }).focus()
      await tab.clock.fastForward(11_000)
      expect(await undo.count()).to.equal(0)
      await tab.close()
    })

    it('are deleted once by a double click, and leave the focus on the next', async () => {
      const codes = [freshCode('twice'), freshCode('twice')]
      for (const code of codes) await addLink(service.db, { code, owner: editor.id })
      await page.goto(`${service.baseUrl}/console?q=twice-&sort=code`)
      const [first = '', second = ''] = codes.toSorted()
      await page.getByRole('button', { name: `Delete ${first}` }).dblclick()
      await row(first).waitFor({ state: 'detached' })
      const focusedLink = () => page.evaluate(`document.activeElement?.closest('tr')?.dataset.code ?? ''`)
      await soon(async () => (await focusedLink()) === second)
      expect(await page.locator('.note').count()).to.equal(0)
    })

    it('leave the list where somebody else has deleted them, whatever is done to them', async () => {
      const codes = [freshCode('gone'), freshCode('gone')]
      for (const code of codes) await addLink(service.db, { code, owner: editor.id })
      const [deleted = '', switched = ''] = codes
      await page.goto(`${service.baseUrl}/console?q=gone-`)
      await row(deleted).waitFor()
      for (const code of codes) await service.request('DELETE', `/links/${code}`, { token: editor.token })
      await page.getByRole('button', { name: `Delete ${deleted}` }).press('Enter')
      await row(deleted).waitFor({ state: 'detached' })
      await shown(page, 'It is not there any more, or never was.')
      await page.locator('tbody :focus').waitFor()
      await row(switched).locator('summary').press('Enter')
      await page.getByRole('button', { name: 'Switch off' }).press('Enter')
      await row(switched).waitFor({ state: 'detached' })
    })

    it('are reached though somebody changed them meanwhile, but none that got the code of one', async () => {
      const [changed, other, deleted] = [freshCode('stale'), freshCode('stale'), freshCode('stale')]
      const [switched, chosen] = [freshCode('stale'), freshCode('stale')]
      const reused = [deleted, switched, chosen]
      for (const code of [changed, other, ...reused]) await addLink(service.db, { code, owner: editor.id })
      await page.goto(`${service.baseUrl}/console?q=stale-`)
      await row(changed).waitFor()
      const { token } = editor
      for (const code of [changed, other])
        await service.request('PATCH', `/links/${code}`, { token, json: { title: 'Changed' } })
      for (const code of reused) {
        await service.request('PATCH', `/links/${code}`, { token, json: { code: `${code}-old` } })
        const json = { code, target: 'https://example.com/other' }
        expect((await service.request('POST', '/links', { token, json })).status).to.equal(201)
      }
      await page.getByRole('button', { name: `Delete ${deleted}` }).click()
      await shown(page, 'It is not there any more, or never was.')
      await row(deleted).waitFor({ state: 'detached' })
      await row(switched).locator('summary').press('Enter')
      await page.getByRole('button', { name: 'Switch off' }).press('Enter')
      await row(switched).waitFor({ state: 'detached' })
      await page.getByRole('button', { name: `Delete ${changed}` }).click()
      await shown(page, /^Deleted\./)
      for (const code of [chosen, other]) await page.getByLabel(`Select ${code}`).click()
      await page.getByRole('button', { name: 'Switch off' }).click()
      await row(other).getByText('off', { exact: true }).waitFor()
      await page.getByRole('button', { name: 'Delete 2' }).click()
      await row(other).waitFor({ state: 'detached' })
      await shown(page, '1 selected')
      for (const code of reused)
        expect((await service.request('GET', `/links/${code}`, { token })).json, code).to.include({ active: true })
      for (const code of [changed, other])
        expect((await service.request('GET', `/links/${code}`, { token })).status, code).to.equal(404)
    })

    it('say of a deletion that cannot be taken back why, also where the list has been left', async () => {
      const code = freshCode('left')
      await addLink(service.db, { code, owner: editor.id })
      await page.goto(`${service.baseUrl}/console?q=${code}`)
      await page.getByRole('button', { name: `Delete ${code}` }).click()
      await row(code).waitFor({ state: 'detached' })
      await addLink(service.db, { code, owner: editor.id })
      await page.getByRole('link', { name: 'Visits' }).first().click()
      await page.getByRole('heading', { level: 1, name: 'Visits' }).waitFor()
      await page.getByRole('button', { name: 'Undo' }).click()
      await page.locator('.toast', { hasText: 'Restore this one from the trash, under another.' }).waitFor()
      expect(await page.getByRole('button', { name: 'Undo' }).count()).to.equal(0)
    })

    it('that cannot be deleted stay selected among many that can, with the reason', async () => {
      const codes = [freshCode('some'), freshCode('some')]
      for (const code of codes) await addLink(service.db, { code, owner: editor.id })
      await page.goto(`${service.baseUrl}/console?q=some-`)
      for (const code of codes) await page.getByLabel(`Select ${code}`).click()
      await shown(page, '2 selected')
      const [gone = '', there = ''] = codes
      await service.request('DELETE', `/links/${gone}`, { token: editor.token })
      await page.getByRole('button', { name: 'Delete 2' }).click()
      await row(there).waitFor({ state: 'detached' })
      await shown(page, '1 selected')
      await page.locator('.bulk .note').waitFor()
      await page.getByRole('button', { name: 'Tag', exact: true }).click()
      await page.getByLabel('Tags, separated by commas').fill('kept')
      await page.getByRole('button', { name: 'Add' }).click()
      await page.locator('dialog .note').waitFor()
      expect(await page.getByLabel('Tags, separated by commas').inputValue(), 'what was typed').to.equal('kept')
      await page.keyboard.press('Escape')
    })

    it('are asked for another code where theirs was taken meanwhile', async () => {
      const code = freshCode('taken')
      await addLink(service.db, { code, owner: editor.id })
      await service.request('DELETE', `/links/${code}`, { token: editor.token })
      await addLink(service.db, { code, owner: editor.id })
      await page.goto(`${service.baseUrl}/console/trash`)
      await page.getByRole('button', { name: `Restore ${code}` }).click()
      const dialog = page.getByRole('dialog', { name: `Restore ${code} under another code` })
      await addLink(service.db, { code: `${code}-2`, owner: editor.id })
      await dialog.getByLabel('Code').fill(`${code}-2`)
      // without an answer, it says only that the code is taken
      await page.route('**/links/bulk?*', (route) => route.abort())
      await dialog.getByRole('button', { name: 'Restore' }).click()
      await dialog.getByText(`${code}-2 is taken.`).waitFor()
      expect(await dialog.getByRole('button').allTextContents()).to.deep.equal(['Restore', 'Cancel'])
      await page.unroute('**/links/bulk?*')
      await dialog.getByRole('button', { name: 'Restore' }).click()
      const other = `${code}-4`
      await addLink(service.db, { code: `${code}-3`, owner: editor.id })
      await dialog.getByRole('button', { name: other }).click()
      expect(await dialog.getByLabel('Code').inputValue()).to.equal(other)
      await requireClean(page, 'a code that is taken')
      await page.getByRole('dialog').getByRole('button', { name: 'Restore' }).click()
      await shown(page, `${other} is back.`)
    })

    it('keep the focus in the bar that changes many of them, and on the page once it is gone', async () => {
      const code = freshCode('keys')
      await addLink(service.db, { code, owner: editor.id })
      await go(page, `?q=${code}`, 'Links')
      await page.getByLabel(`Select ${code}`).press('Space')
      const bar = page.getByRole('group', { name: '1 selected' })
      await bar.getByRole('button', { name: 'Switch off' }).press('Enter')
      await bar.getByRole('button', { name: 'Switch on' }).waitFor()
      await bar.locator('button:focus').waitFor()
      await bar.getByRole('button', { name: 'Clear', exact: true }).press('Enter')
      await bar.waitFor({ state: 'detached' })
      await page.locator('h1:focus').waitFor()
    })

    it('say that none fits, and leave the focus on the page when the filters are cleared', async () => {
      await go(page, '?q=nobody-has-this', 'Links')
      await page.getByRole('status').getByText('Nothing matches “nobody-has-this”.').waitFor()
      await page.getByRole('button', { name: 'Clear the filters' }).press('Enter')
      await page.locator('tbody tr').first().waitFor()
      await page.locator('h1:focus').waitFor()
    })

    it('have menus whose arrows stay in them', async () => {
      await go(page, '', 'Links')
      await page.locator('tbody tr').first().waitFor()
      const menu = page.locator('.actions-cell .menu').first()
      await menu.locator('summary').press('Enter')
      const focused = () => menu.locator(':focus').first().innerText()
      for (const [key, item] of [
        ['ArrowDown', /^Visits and settings$/],
        ['ArrowDown', /^Open$/],
        ['ArrowUp', /^Visits and settings$/],
        ['ArrowUp', /^Switch o/],
      ] as const) {
        await page.keyboard.press(key)
        expect(await focused()).to.match(item)
      }
      await page.keyboard.press('Escape')
      expect(await menu.evaluate((element) => element.hasAttribute('open'))).to.equal(false)
    })

    it('are walked by keys, selected, and opened', async () => {
      const codes = [freshCode('keys'), freshCode('keys')]
      for (const code of codes) await addLink(service.db, { code, owner: editor.id })
      await page.goto(`${service.baseUrl}/console?q=keys-&sort=code`)
      await row(codes[1] ?? '').waitFor()
      await page.keyboard.press('/')
      await soon(async () => (await focusedName()) === 'q')
      await page.getByRole('heading', { level: 1 }).focus()
      for (const key of ['j', 'x', 'j', 'X']) await page.keyboard.press(key)
      await shown(page, '2 selected')
      await page.keyboard.press('Escape')
      await soon(async () => (await page.locator('.bulk').count()) === 0)
      await page.keyboard.press('k')
      await page.keyboard.press('Enter')
      await page.waitForURL(/\/console\/links\/keys-/)
    })
  })

  describe('a session', () => {
    const endSignIns = ({ id } = editor) =>
      service.db.asOwner('update refresh_tokens set revoked_at = now() where user_id = $1', [id])

    it('that ends keeps what was typed, and goes on with it once its user has signed in again', async () => {
      // nothing else may be told of the end before the Enter is
      await page.goto(`${service.baseUrl}/console`, { waitUntil: 'networkidle' })
      const target = page.getByLabel('Address that the link leads to')
      await target.fill('https://example.com/typed-before-the-end')
      await endSignIns()
      await target.press('Enter')
      const dialog = page.getByRole('dialog', { name: 'Sign in to Linkgate' })
      await dialog.waitFor()
      await shown(page, /What you typed is kept/)
      await requireClean(page, 'a session that ended')
      expect(await target.inputValue()).to.equal('https://example.com/typed-before-the-end')
      expect(await dialog.getByLabel('E-mail address').inputValue()).to.equal(editor.email)
      await dialog.getByLabel('Password', { exact: true }).fill(PASSWORD)
      await dialog.getByRole('button', { name: 'Sign in' }).click()
      await page.locator('.made').waitFor()
      await isOver('Sign in to Linkgate')
    })

    it('that ended is asked for again, however often somebody presses Escape', async () => {
      // nothing else may be told of the end before the Enter is
      await page.goto(`${service.baseUrl}/console`, { waitUntil: 'networkidle' })
      const target = page.getByLabel('Address that the link leads to')
      await target.fill('https://example.com/escape')
      await endSignIns()
      await target.press('Enter')
      const dialog = page.getByRole('dialog', { name: 'Sign in to Linkgate' })
      await dialog.waitFor()
      for (let i = 0; i < 5; i += 1) await page.keyboard.press('Escape')
      await dialog.getByLabel('Password', { exact: true }).fill(PASSWORD)
      await dialog.getByRole('button', { name: 'Sign in' }).click()
      await page.locator('.made').waitFor()
    })

    it('of somebody else sends nothing that was typed before', async () => {
      const other = await addAccount(service, 'editor')
      const tab = await browser.open()
      await tab.goto(`${service.baseUrl}/console`, { waitUntil: 'networkidle' })
      await tab.getByLabel('Address that the link leads to').fill('https://example.com/not-in-their-name')
      await endSignIns()
      await page.goto(`${service.baseUrl}/console`)
      await signIn(page, other)
      await tab.getByLabel('Address that the link leads to').press('Enter')
      await soon(async () => (await tab.getByLabel('Address that the link leads to').inputValue()) === '')
      await tab.getByRole('heading', { level: 1, name: 'Links' }).waitFor()
      await shown(tab, 'No link yet.')
      const made = `select from links where target = 'https://example.com/not-in-their-name'`
      expect(await service.db.asOwner(made)).to.deep.equal([])
      await tab.close()
      await page.getByRole('button', { name: 'Sign out' }).click()
      await signIn(page, editor)
    })

    const signOut = async (tab: Page) => {
      await tab.getByRole('button', { name: 'Sign out' }).click()
      await tab.getByRole('heading', { name: 'Sign in to Linkgate' }).waitFor()
    }

    for (const [where, end] of [
      ['here', 'an end'],
      ['here', 'a sign-out in another tab'],
      ['in another tab', 'an end'],
      ['in another tab', 'a sign-out in another tab'],
    ] as const)
      it(`of somebody else, who signs in ${where} after ${end}, takes a form with unsaved changes away`, async () => {
        const [first, other] = [await addAccount(service, 'editor'), await addAccount(service, 'editor')]
        const code = freshCode('form')
        await addLink(service.db, { code, owner: first.id })
        const { page: tab, open } = await openSignedIn(service, first)
        await go(tab, `/links/${code}`, new RegExp(code))
        await tab.getByRole('button', { name: 'Edit' }).click()
        const title = tab.getByLabel('Title', { exact: true })
        await title.fill('Not for their eyes')
        // who is asked whether to leave may stay
        tab.on('dialog', (dialog) => dialog.dismiss())
        if (end === 'an end') {
          await endSignIns(first)
          await title.press('Enter')
        } else await signOut(await open())
        await tab.getByRole('dialog', { name: 'Sign in to Linkgate' }).waitFor()
        await signIn(where === 'here' ? tab : await open(), other)
        await shown(tab, 'No link yet.')
        expect(await title.count()).to.equal(0)
      })

    it('that its user left in another tab keeps what was typed, which nobody sees until they are back', async () => {
      const user = await addAccount(service, 'editor')
      const code = freshCode('left')
      await addLink(service.db, { code, owner: user.id })
      const { page: tab, open } = await openSignedIn(service, user)
      await go(tab, `/links/${code}`, new RegExp(code))
      await tab.getByRole('button', { name: 'Edit' }).click()
      const title = tab.getByLabel('Title', { exact: true })
      await title.fill('Only for its author')
      const second = await open()
      await signOut(second)
      const dialog = tab.getByRole('dialog', { name: 'Sign in to Linkgate' })
      await dialog.getByText('You signed out in another tab.').waitFor()
      // a browser draws only the tab in front
      await tab.bringToFront()
      await requireClean(tab, 'a session that was left in another tab')
      expect(await dialog.getByLabel('E-mail address').inputValue()).to.equal('')
      const look = () => tab.screenshot({ animations: 'disabled' })
      const show = (visibility: 'hidden' | 'visible') =>
        tab.evaluate(
          `for (const part of document.querySelectorAll('.side, main')) part.style.visibility = '${visibility}'`,
        )
      const seen = await look()
      await show('hidden')
      expect(seen.equals(await look()), 'the page behind the dialog is seen').to.equal(true)
      await show('visible')

      // one that had ended again before this tab took it up
      await tab.route('**/auth/session/refresh', (route) =>
        route.fulfill({ status: 401, json: { status: 401, code: 'invalid_token' } }),
      )
      const refused = tab.waitForResponse('**/auth/session/refresh')
      await tab.evaluate(`new BroadcastChannel('linkgate-session').postMessage('signed in')`)
      await (await refused).finished()
      await tab.unroute('**/auth/session/refresh')
      expect(await title.inputValue()).to.equal('Only for its author')
      await signIn(second, user)
      await dialog.waitFor({ state: 'detached' })
      expect(await title.inputValue()).to.equal('Only for its author')
      await tab.getByRole('button', { name: 'Save' }).click()
      await shown(tab, 'Saved.')
    })

    it('of somebody else shows nothing of the user who signed out before them', async () => {
      const [first, other] = [await addAccount(service, 'editor'), await addAccount(service, 'editor')]
      await service.request('PATCH', '/users/me', { token: first.token, json: { name: 'Ada of before' } })
      const { page: tab } = await openSignedIn(service, first)
      await shown(tab, 'Ada of before')
      await signOut(tab)
      let release = (): void => undefined
      const held = new Promise<void>((resolve) => (release = resolve))
      await tab.route('**/users/me', async (route) => {
        await held
        await route.continue()
      })
      await signIn(tab, other)
      expect(await tab.getByText('Ada of before').count()).to.equal(0)
      release()
      await tab.locator('.side-foot strong').waitFor()
    })

    ;(hasBackCache ? it : it.skip)('of somebody else has pages that Back leads to', async () => {
      const [first, other] = [await addAccount(service, 'editor'), await addAccount(service, 'editor')]
      const code = freshCode('back')
      await addLink(service.db, { code, owner: first.id })
      const own = await openWithBackCache()
      try {
        const tab = await own.newPage()
        await tab.goto(`${service.baseUrl}/console/links/${code}`)
        await signIn(tab, first, code)
        await signOut(tab)
        await signIn(tab, other)
        await tab.evaluate('setTimeout(() => history.back())')
        await shown(tab, 'You see what every visitor can know.')
      } finally {
        await own.close()
      }
    })

    it('is no sign-out while the service is away: the door says so, and tries again', async () => {
      const away = { status: 503, json: { status: 503, code: 'database_unavailable', title: 'Away' } }
      await page.route('**/auth/session/refresh', (route) => route.fulfill(away))
      await page.reload()
      await shown(page, /^The service cannot answer at the moment\./)
      await requireClean(page, 'the door while the service is away')
      await page.unroute('**/auth/session/refresh')
      await page.route('**/auth/session/refresh', (route) => route.abort())
      await page.getByRole('button', { name: 'Try again' }).click()
      await shown(page, /^We try again in \d+ s\.$/)
      await page.unroute('**/auth/session/refresh')
      await page.evaluate(`dispatchEvent(new Event('online'))`)
      await page.getByRole('heading', { level: 1, name: 'Links' }).waitFor()
    })

    it('is not held up by another tab whose connection has died', async () => {
      const other = await browser.open()
      await other.addInitScript(
        '{ const timeout = AbortSignal.timeout; AbortSignal.timeout = (ms) => timeout.call(AbortSignal, ms / 100) }',
      )
      await other.route('**/auth/session/refresh', () => undefined)
      const asked = other.waitForRequest('**/auth/session/refresh')
      await other.reload({ waitUntil: 'domcontentloaded' })
      await asked
      await page.reload()
      await page.getByRole('heading', { level: 1, name: 'Links' }).waitFor()
      await other.unroute('**/auth/session/refresh')
      await other.getByRole('button', { name: 'Try again' }).click()
      await other.getByRole('heading', { level: 1, name: 'Links' }).waitFor()
      await other.close()
    })

    it('that is begun again stays, though a renewal from before is refused at that moment', async () => {
      // nothing else may be told of the end before the Enter is
      await page.goto(`${service.baseUrl}/console`, { waitUntil: 'networkidle' })
      const target = page.getByLabel('Address that the link leads to')
      await target.fill('https://example.com/between-two-sign-ins')
      await endSignIns()
      await target.press('Enter')
      const dialog = page.getByRole('dialog', { name: 'Sign in to Linkgate' })
      await dialog.waitFor()
      let release = (): void => undefined
      const held = new Promise<void>((resolve) => (release = resolve))
      await page.route('**/auth/session/refresh', async (route) => {
        const refused = await route.fetch()
        await held
        await route.fulfill({ response: refused })
      })
      let begun = false
      page.on('response', (response) => (begun ||= response.url().endsWith('/auth/session')))
      const asked = page.waitForRequest('**/auth/session/refresh')
      // as another tab says once its user has signed in
      await page.evaluate(`new BroadcastChannel('linkgate-session').postMessage('signed in')`)
      await asked
      await dialog.getByLabel('Password', { exact: true }).fill(PASSWORD)
      await dialog.getByRole('button', { name: 'Sign in' }).click()
      const waits = `navigator.locks.query().then(({ pending }) => pending.length > 0)`
      await soon(async () => begun || (await page.evaluate(waits)) === true)
      release()
      await page.locator('.made').waitFor()
      await page.unroute('**/auth/session/refresh')
      // its refusal takes a cookie away, which must not be that of the new session
      await page.reload()
      await target.fill('https://example.com/after-both')
      await target.press('Enter')
      await shown(page, 'example.com/after-both')
    })

    it('is one in several tabs, which renew at once without ending it, and leave together', async () => {
      const others = await Promise.all([browser.open(), browser.open(), browser.open()])
      for (let round = 0; round < 3; round += 1)
        // not sooner: a browser cannot be told to load a page again that it is just about to show
        await Promise.all([page, ...others].map((each) => each.reload({ waitUntil: 'domcontentloaded' })))
      for (const each of [page, ...others]) await each.getByRole('heading', { level: 1, name: 'Links' }).waitFor()

      await page.getByRole('button', { name: 'Sign out' }).click()
      for (const each of [page, ...others]) await each.getByRole('heading', { name: 'Sign in to Linkgate' }).waitFor()
      await others[0]?.getByText('You signed out in another tab.').waitFor()
      await page.reload()
      await page.getByRole('heading', { name: 'Sign in to Linkgate' }).waitFor()
      await signIn(page, editor)
      for (const each of others) await each.getByRole('heading', { level: 1, name: 'Links' }).waitFor()
      await Promise.all(others.map((each) => each.close()))
    })

    it('whose cookie was copied ends for both once the copy is used, too', async () => {
      const cookies = await browser.context.cookies(`${service.baseUrl}/auth/session`)
      const cookie = cookies.map(({ name, value }) => `${name}=${value}`).join('; ')
      await page.reload()
      await page.getByRole('heading', { level: 1, name: 'Links' }).waitFor()
      await service.db.asOwner(`update refresh_tokens set used_at = used_at - interval '1 hour' where user_id = $1`, [
        editor.id,
      ])
      const stolen = await fetch(`${service.baseUrl}/auth/session/refresh`, {
        method: 'POST',
        headers: { Cookie: cookie, 'Sec-Fetch-Site': 'same-origin' },
      })
      expect(stolen.status).to.equal(401)
      await page.reload()
      await page.getByRole('heading', { name: 'Sign in to Linkgate' }).waitFor()
      await signIn(page, editor)
    })

    it('is none for pages of other origins, whatever they send', async () => {
      // the same host on another port is the same site, and still not this origin
      const sibling = createServer((_, response) => response.setHeader('Content-Type', 'text/html').end('<p>here</p>'))
      await new Promise<void>((resolve) => sibling.listen(0, '127.0.0.1', resolve))
      const address = sibling.address()
      const port = typeof address === 'object' ? address?.port : undefined
      const other = await browser.context.newPage()
      try {
        const answers: string[] = []
        other.on('response', (response) => {
          // the page of a refusal has an icon, which the browser may ask for as well
          if (response.url().startsWith(`${service.baseUrl}/auth/`))
            answers.push(`${response.status()} ${response.url()}`)
        })
        for (const path of ['/auth/session', '/auth/session/refresh']) {
          await other.goto(`http://127.0.0.1:${port}/`)
          await other.evaluate(
            `fetch('${service.baseUrl}${path}', { method: 'POST', credentials: 'include', mode: 'no-cors' })
              .then(() => undefined, () => undefined)`,
          )
          const answer = other.waitForResponse((each) => each.url() === `${service.baseUrl}${path}`)
          await other.evaluate(`
            document.body.append(Object.assign(document.createElement('form'),
              { method: 'post', action: '${service.baseUrl}${path}' }));
            document.forms[0].submit()`)
          expect((await answer).status(), path).to.equal(403)
          await other.waitForURL(`**${path}`)
        }
        // of answers that it keeps from a page the browser does not always tell
        expect(answers.length).to.be.at.least(2)
        expect(answers.filter((each) => !each.startsWith('403 '))).to.deep.equal([])
      } finally {
        await other.close()
        sibling.close()
        forgiveComplaints()
      }
      await page.reload()
      await page.getByRole('heading', { level: 1, name: 'Links' }).waitFor()
    })
  })

  describe('where something is wrong', () => {
    const failing = async (status: number, body: object, headers: Record<string, string> = {}) => {
      await page.route('**/links?*', (route) =>
        route.fulfill({
          status,
          headers: { 'Content-Type': 'application/problem+json', ...headers },
          body: JSON.stringify({ type: 'about:blank', status, title: 'Refused', request_id: 'r-1', ...body }),
        }),
      )
      await page.goto(`${service.baseUrl}/console`)
    }
    afterEach(async () => {
      await page.unroute('**/links?*')
    })

    for (const [status, code, sentence] of [
      [403, 'policy_denied', 'You may not do that (R6).'],
      [429, 'rate_limited', 'Too many requests. Go on in 60 s.'],
      [503, 'database_unavailable', 'The service cannot answer at the moment.'],
    ] as const)
      it(`says so, and tries again when asked: ${status}`, async () => {
        await failing(status, { code, rule: 'R6' }, { 'Retry-After': '60' })
        await shown(page, new RegExp(`^${sentence.replaceAll(/[().]/g, String.raw`\$&`)}`))
        await requireClean(page, code)
        await page.unroute('**/links?*')
        await page.getByRole('button', { name: 'Try again' }).click()
        await page.locator('tbody tr').first().waitFor()
      })

    it('says that somebody who leaves is still signed in', async () => {
      await page.goto(`${service.baseUrl}/console`)
      await page.locator('tbody tr').first().waitFor()
      await browser.context.setOffline(true)
      await page.getByRole('button', { name: 'Sign out' }).click()
      await shown(page, /^You are still signed in\. No connection since /)
      await browser.context.setOffline(false)
      await go(page, '/settings', 'Settings')
      await shown(page, 'this browser')
      await browser.context.setOffline(true)
      await page.locator('.items').getByRole('button', { name: 'Sign out' }).click()
      await shown(page, /^You are still signed in\. No connection since /)
      await browser.context.setOffline(false)
    })

    it('says so while there is no connection, and what was typed stays', async () => {
      await page.goto(`${service.baseUrl}/console`)
      await page.locator('tbody tr').first().waitFor()
      await browser.context.setOffline(true)
      const target = page.getByLabel('Address that the link leads to')
      await target.fill('https://example.com/offline')
      await target.press('Enter')
      await shown(page, /^No connection/)
      await browser.context.setOffline(false)
      expect(await target.inputValue()).to.equal('https://example.com/offline')
      await target.press('Enter')
      await page.locator('.made').waitFor()
    })

    it('says since when there is none for what it shows, and tries again by itself', async () => {
      let tried = 0
      await page.goto(`${service.baseUrl}/console`)
      await page.locator('tbody tr').first().waitFor()
      const before = await page.locator('tbody tr').count()
      await page.route('**/links?*', (route) => {
        tried += 1
        return route.abort()
      })
      await page.getByLabel('Sorted by').selectOption({ label: 'code' })
      await shown(page, /^No connection since \d+:\d\d/)
      const seen = page.getByText(/^What you see is from then; we try again in \d+ s\.$/)
      await seen.waitFor()
      expect(await page.locator('tbody tr').count(), 'the last rows').to.equal(before)
      expect(await page.locator('.card > .note ~ table').count(), 'above the rows').to.equal(1)
      await requireClean(page, 'no connection')
      const left = async () => Number(/\d+(?= s)/.exec(await seen.innerText())?.[0])
      const first = tried
      // each pause is longer than the one before
      await soon(async () => tried > first && (await left()) > 2)
      const repeated = page.waitForResponse('**/links?*')
      await page.unroute('**/links?*')
      const { searchParams } = new URL((await repeated).url())
      expect([searchParams.get('sort'), searchParams.get('cursor')], 'what had failed').to.deep.equal(['code', null])
      await seen.waitFor({ state: 'detached' })

      await page.route('**/links?*', (route) => route.abort())
      await page.getByLabel('Sorted by').selectOption({ label: 'newest' })
      await soon(async () => (await seen.count()) === 1 && (await left()) > 2)
      await page.unroute('**/links?*')
      const asked = page.waitForRequest('**/links?*', { timeout: 1_000 })
      await page.evaluate(`dispatchEvent(new Event('online'))`)
      await asked
      await seen.waitFor({ state: 'detached' })

      const gone = `${service.baseUrl}/links/there-is-none`
      await page.route(gone, (route) => route.abort())
      await page.goto(`${service.baseUrl}/console/links/there-is-none`)
      await shown(page, /^We try again in \d+ s\.$/)
      await page.unroute(gone)
      await shown(page, 'It is not there any more, or never was.')
    })

    it('says so where a page’s script does not come, as after an update, and loads the console anew', async () => {
      const tab = await browser.open()
      await tab.locator('tbody tr').first().waitFor()
      await tab.route('**/console/assets/*.js', (route) => route.fulfill({ status: 404 }))
      await tab.getByRole('link', { name: 'Settings' }).click()
      await tab.getByRole('heading', { level: 1, name: 'This page could not be loaded' }).waitFor()
      await requireClean(tab, 'a page that could not be loaded')
      await tab.unroute('**/console/assets/*.js')
      await tab.getByRole('button', { name: 'Reload the console' }).click()
      await tab.getByRole('heading', { level: 1, name: 'Settings' }).waitFor()
      await tab.close()
    })

    it('is no empty page where the program itself does not come', async () => {
      const tab = await browser.context.newPage()
      await tab.route('**/console/assets/app-*.js', (route) => route.fulfill({ status: 404 }))
      await tab.goto(`${service.baseUrl}/console`)
      const said = tab.getByText('The console could not be loaded.')
      expect(await said.isVisible(), 'at once').to.equal(false)
      // ten seconds go by
      await tab.evaluate('document.getAnimations().forEach((each) => each.finish())')
      await said.waitFor()
      await tab.unroute('**/console/assets/app-*.js')
      await tab.getByRole('link', { name: 'Try again' }).click()
      await tab.getByRole('heading', { level: 1 }).waitFor()
      await tab.close()
    })
  })

  describe('a service without a trash', () => {
    it('asks before it deletes for good, and offers nothing back', async () => {
      const strict = await startTestService({ environment: { TRASH_DAYS: '0' } })
      try {
        const owner = await addAccount(strict, 'editor')
        const { page: tab } = await openSignedIn(strict, owner)
        const code = freshCode('gone')
        await addLink(strict.db, { code, owner: owner.id })
        await tab.reload()
        await tab.getByRole('button', { name: `Delete ${code}` }).click()
        const dialog = tab.getByRole('dialog', { name: 'Delete this link for good?' })
        await requireClean(tab, 'a deletion for good')
        await dialog.getByRole('button', { name: 'Cancel' }).click()
        expect((await strict.request('GET', `/links/${code}`, { token: owner.token })).status).to.equal(200)
        await tab.getByRole('button', { name: `Delete ${code}` }).click()
        await dialog.getByRole('button', { name: 'Delete', exact: true }).click()
        await shown(tab, 'Deleted for good.')
        expect(await tab.getByRole('button', { name: 'Undo' }).count()).to.equal(0)
        expect((await strict.request('GET', `/links/${code}`, { token: owner.token })).status).to.equal(404)
      } finally {
        await strict.stop()
      }
    })
  })

  describe('every page', () => {
    it('says of what somebody may not do that it is off, and why, as the policy decides it', async () => {
      const admin = await service.addUser('admin')
      const code = freshCode('off')
      await addLink(service.db, { code, owner: editor.id })
      const priority = 250
      const denial = {
        ptype: 'p',
        priority,
        rule: 'R5',
        role: 'editor',
        action: 'link:delete',
        reach: 'any',
        effect: 'deny',
      }
      await editPolicy(service, admin.token, { add: [denial] })
      try {
        await page.goto(`${service.baseUrl}/console?q=${code}`)
        const button = page.getByRole('button', { name: `Delete ${code}` })
        await page.waitForSelector(`tr[data-code="${code}"] button[aria-disabled]`)
        const reason = await button.getAttribute('aria-describedby')
        expect(await page.locator(`[id="${reason}"]`).textContent()).to.equal('R5: not yours')
        await button.click({ force: true })
        expect(await page.evaluate('document.activeElement?.id'), 'a press leads to the reason').to.equal(reason)
        expect((await service.request('GET', `/links/${code}`, { token: editor.token })).status).to.equal(200)
        await requireClean(page, 'a button that is off')
      } finally {
        await editPolicy(service, admin.token, { remove: [denial] })
      }
    })

    it('shows what is on and what is chosen where the system chooses the colours', async () => {
      const admin = await addAccount(service, 'admin')
      const [on, off] = [freshCode('on'), freshCode('off')]
      for (const code of [on, off]) await addLink(service.db, { code, owner: admin.id })
      await service.request('PATCH', `/links/${off}`, { token: admin.token, json: { active: false } })
      const { page: tab } = await openSignedIn(service, admin)
      await tab.emulateMedia({ forcedColors: 'active', reducedMotion: 'reduce' })
      /** a picture of a part of a page that was just loaded, so that nothing else marks it, such as the focus */
      const look = async (path: string, heading: string | RegExp, find: () => Locator) => {
        await tab.mouse.move(0, 0)
        await go(tab, path, heading)
        return (await find().screenshot()).toString('base64')
      }

      const control = () => tab.getByRole('switch')
      const isOn = await look(`/links/${on}`, new RegExp(on), control)
      expect(await look(`/links/${off}`, new RegExp(off), control), 'a switch').not.to.equal(isOn)

      const entry = () => tab.getByRole('link', { name: 'Settings', exact: true })
      const isHere = await look('/settings', 'Settings', entry)
      expect(await look('', 'Links', entry), 'an entry of the navigation').not.to.equal(isHere)

      const link = () => tab.getByRole('link', { name: 'Read model.conf' })
      const isOpen = await look('/model', 'model.conf', link)
      expect(await look('/explain', 'Explain', link), 'a tab').not.to.equal(isOpen)

      const segment = () => tab.locator('label', { hasText: 'Deutsch' })
      const isFree = await look('/settings', 'Settings', segment)
      await tab.getByLabel('Deutsch').check({ force: true })
      expect(await look('/settings', 'Einstellungen', segment), 'a segment').not.to.equal(isFree)
    })

    it('makes no markup of what people wrote', async () => {
      const hostile = `<img src=x onerror="document.title='ran'"><script>document.title='ran'</script>`
      const answer = await service.request('POST', '/links', {
        token: editor.token,
        json: {
          target: `https://example.com/?q=${encodeURIComponent(hostile)}`,
          title: hostile,
          tags: ['a'],
          note: hostile,
        },
      })
      const code = String(at(answer.json, 'code'))
      await service.request('PATCH', '/users/me', { token: editor.token, json: { name: hostile } })
      await page.goto(`${service.baseUrl}/console?q=onerror`)
      await row(code).waitFor()
      expect(await row(code).textContent()).to.contain(hostile)
      expect(await page.locator('main img[src=x], .side img').count()).to.equal(0)
      expect(await page.title()).to.equal('Links · Linkgate')
      await service.request('PATCH', '/users/me', { token: editor.token, json: { name: 'Ed' } })
    })

    it('speaks German where the browser does', async () => {
      await page.addInitScript(`Object.defineProperty(navigator, 'languages', { get: () => ['de-DE', 'de'] })`)
      await page.goto(`${service.baseUrl}/console?q=onerror`)
      await page.getByPlaceholder('Adresse einfügen').waitFor()
      expect(await page.evaluate('document.documentElement.lang')).to.equal('de')
      const target = page.getByLabel('Adresse, zu der der Link führt')
      await target.fill('example')
      await target.press('Enter')
      await shown(page, 'Schreiben Sie die ganze Adresse, mit http:// oder https:// davor.')
      await requireClean(page, 'the links in German')
    })

    it('asks nothing but what the description of the API has', async () => {
      const document = (await service.request('GET', '/openapi.json')).json
      const paths = Object.entries(at(document, 'paths') as object).flatMap(([path, operations]) =>
        Object.keys(operations as object).map((method) => ({
          method: method.toUpperCase(),
          pattern: new RegExp(`^${path.replaceAll('+', String.raw`\+`).replaceAll(/\{\w+\}/g, '[^/]+')}$`),
        })),
      )
      expect(browser.asked.size).to.be.greaterThan(15)
      const unknown = [...browser.asked].filter((request) => {
        const [method, path = ''] = request.split(' ')
        return !paths.some((each) => each.method === method && each.pattern.test(path))
      })
      expect(unknown).to.deep.equal([])
      expect(listAt(document, 'tags').length).to.be.greaterThan(5)
    })
  })
})
