import { expect } from 'chai'

import { hashOfToken, newOpaqueToken } from '../../../src/identity/opaque-token.js'
import { describeConsole, openConsole, requireClean, shown, type ConsoleBrowser } from '../../support/console.js'
import { startTestService, type TestService, type TestUser } from '../../support/service.js'
import { until } from '../../support/until.js'

describeConsole('the first minute in a browser', () => {
  let service: TestService
  let admin: TestUser
  let browser: ConsoleBrowser
  const token = newOpaqueToken()
  /** the link of an invitation */
  let link: string

  before(async () => {
    service = await startTestService()
    admin = await service.addUser('admin')
    await service.db.asOwner(`update users set email = 'admin@localhost' where id = $1`, [admin.id])
    await service.db.asOwner(
      `insert into account_tokens (user_id, purpose, token_hash, expires_at)
       values ($1, 'password', $2, now() + interval '10 minutes')`,
      [admin.id, hashOfToken(token)],
    )
    browser = await openConsole(service)
  })
  after(() => service.stop())

  it('leads from the address of the start to a link that is followed, by keys alone', async () => {
    const page = await browser.open(`/console/welcome#${token}`)
    await page.getByRole('heading', { level: 1, name: 'Welcome to Linkgate' }).waitFor()
    await page.getByText('Choose a password for admin@localhost').waitFor()
    await requireClean(page, 'the choice of a password')
    // the name has the focus; the address comes next, then the password
    await until('the focus is in the form', () =>
      page.evaluate(`document.activeElement?.matches('input') === true`).then(Boolean),
    )
    await page.keyboard.type('Mara')
    await page.keyboard.press('Tab')
    await page.keyboard.type('mara@example.com')
    await page.keyboard.press('Tab')
    await page.keyboard.type('a long password')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'Welcome, Mara' }).waitFor()
    expect(page.url()).to.not.contain(token)
    await requireClean(page, 'the first steps')

    await page.getByLabel('Address that the link leads to').focus()
    await page.keyboard.type('https://example.com/first')
    await page.keyboard.press('Enter')
    const url = await page.locator('.made a').first().getAttribute('href')
    const followed = await fetch(url ?? '', { redirect: 'manual' })
    expect(followed.headers.get('Location')).to.equal('https://example.com/first')

    const signedIn = await service.request('POST', '/auth/token', {
      json: { grant_type: 'password', username: 'mara@example.com', password: 'a long password' },
    })
    expect(signedIn.status, signedIn.text).to.equal(200)
  })

  it('invites somebody, by a link to hand over', async () => {
    const page = await browser.open('/console/welcome')
    await page.getByLabel('Their e-mail address').fill('ben@example.com')
    await page.getByRole('button', { name: 'Make the invitation' }).click()
    await page.getByText('Hand this link to ben@example.com').waitFor()
    await requireClean(page, 'an invitation')
    link = await page.getByLabel('Hand this link to ben@example.com').inputValue()
    expect((await fetch(link, { headers: { Accept: 'text/html' } })).status).to.equal(200)
  })

  it('tells whoever accepts theirs in this browser who is signed in there, and lets them sign out', async () => {
    const page = await browser.open('/console')
    await page.goto(link)
    await page.getByLabel('Name').fill('Ben')
    await page.getByLabel('Password').fill('another long password')
    await page.getByRole('button', { name: 'Accept the invitation' }).click()
    await page.getByRole('link', { name: 'Sign in' }).click()
    const asked = page.getByRole('heading', { level: 1, name: 'Somebody is signed in already' })
    await asked.waitFor()
    await shown(page, 'mara@example.com')
    await requireClean(page, 'a browser of somebody else')

    await page.getByRole('link', { name: 'That is me' }).click()
    await page.getByRole('heading', { level: 1, name: 'Links' }).waitFor()
    await page.goBack()
    await asked.waitFor()
    await page.getByRole('main').getByRole('button', { name: 'Sign out' }).click()
    await page.getByLabel('E-mail address').fill('ben@example.com')
    await page.getByLabel('Password', { exact: true }).fill('another long password')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('heading', { level: 1, name: 'Links' }).waitFor()
    await page.getByRole('banner').getByText('Ben').waitFor()
  })

  it('tells them also where the session could not be restored at first', async () => {
    const page = await browser.open('/console/sign-in')
    await page.getByRole('heading', { level: 1, name: 'Somebody is signed in already' }).waitFor()
    await page.route('**/auth/session/refresh', async (route) => {
      // the page is there already, and waits for this answer alone
      await page.locator('#app:empty').waitFor({ state: 'attached' })
      await route.fulfill({ status: 503, body: '' })
    })
    await page.reload()
    await page.getByLabel('E-mail address').waitFor()
    await page.unroute('**/auth/session/refresh')
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByRole('heading', { level: 1, name: 'Somebody is signed in already' }).waitFor()
  })

  it('says of an address that was used that it is over, and where another comes from', async () => {
    const page = await browser.open(`/console/welcome#${token}`)
    await page.getByText('This link is over.').waitFor()
    await page.getByText('npx linkgate user reset-link').waitFor()
    await requireClean(page, 'a link that is over')
  })
})
