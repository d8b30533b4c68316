import { expect } from 'chai'
import type { Page } from 'playwright-core'

import { PASSWORD, addAccount } from '../../support/account.js'
import { describeConsole, go, openSignedIn, requireClean, shown, soon } from '../../support/console.js'
import { addRows, rowsFor } from '../../support/edit-policy.js'
import { at, textAt } from '../../support/json.js'
import { addLink, freshCode } from '../../support/records.js'
import { startTestService, type TestService, type TestUser } from '../../support/service.js'
import { until } from '../../support/until.js'

const HOSTILE = `<img src=x onerror="document.title='ran'">`

describeConsole('the pages of users in a browser', () => {
  let service: TestService
  let admin: TestUser
  let hostile: TestUser
  let page: Page

  before(async () => {
    service = await startTestService()
    admin = await addAccount(service, 'admin')
    hostile = await service.addUser('viewer')
    await service.db.asOwner('update users set name = $2 where id = $1', [hostile.id, HOSTILE])
    ;({ page } = await openSignedIn(service, admin))
  })
  after(() => service.stop())

  const open = (path = '', heading: string | RegExp = 'Users') => go(page, `/users${path}`, heading)
  /** A user with a name of their own. */
  const add = async (role: string, name: string): Promise<TestUser> => {
    const user = await service.addUser(role)
    await service.db.asOwner('update users set name = $2 where id = $1', [user.id, name])
    return user
  }
  const row = (name: string) => page.getByRole('row').filter({ hasText: name })
  const names = async () => (await page.locator('.people .link-cell strong').allInnerTexts()).sort()
  const found = async (...expected: readonly string[]) =>
    soon(async () => (await names()).join() === [...expected].sort().join())
  const select = (name: string) => page.getByLabel(`Select ${name}`, { exact: true }).check()
  const menu = async (name: string, item: string) => {
    await row(name).locator('summary').click()
    await row(name).getByRole('button', { name: item }).click()
  }
  const dialog = () => page.getByRole('dialog')
  const stored = async (id: string) => (await service.request('GET', `/users/${id}`, { token: admin.token })).json
  const isRole = (id: string, role: string) => soon(async () => at(await stored(id), 'role') === role)
  const isSuspended = (id: string, is: boolean) => soon(async () => at(await stored(id), 'suspended') === is)

  describe('the list', () => {
    before(async () => {
      await add('editor', 'Search Ada')
      await add('viewer', 'Search Ben')
      const { id } = await add('viewer', 'Search Cleo')
      await service.request('PATCH', `/users/${id}`, { token: admin.token, json: { suspended: true } })
    })

    it('has everybody, by name, address, role and state, and makes no markup of a name', async () => {
      await open()
      await row(HOSTILE).getByText(hostile.email).waitFor()
      await row(admin.email).getByText('you', { exact: true }).waitFor()
      expect(await page.locator('img[src=x]').count()).to.equal(0)
      expect(await page.title()).to.equal('Users · Linkgate')
      await requireClean(page, 'the list')
    })

    it('is searched and filtered, and keeps what was asked for in its address', async () => {
      await open()
      await page.getByLabel('Search name, address').fill('search')
      await found('Search Ada', 'Search Ben', 'Search Cleo')
      await page.getByRole('combobox', { name: 'Role' }).selectOption('viewer')
      await found('Search Ben', 'Search Cleo')
      await page.getByRole('combobox', { name: 'State' }).selectOption('suspended')
      await found('Search Cleo')
      await shown(page, '1 of 1 person')
      await page.waitForURL(/\?q=search&role=viewer&state=suspended$/)
      await page.reload()
      await found('Search Cleo')
      await page.getByLabel('Search name, address').fill(HOSTILE)
      await shown(page, 'Nobody matches.')
      await page.getByRole('button', { name: 'Clear the filters' }).click()
      await row(admin.email).waitFor()
      expect(await page.getByLabel('Search name, address').inputValue()).to.equal('')
    })

    it('lets people scroll to the invitations below, and is loaded on when they ask for it', async () => {
      await service.db.asOwner(
        `insert into users (email, name, role)
         select 'scroll' || i || '@example.com', 'Scroll ' || i, 'viewer' from generate_series(1, 60) i`,
      )
      await open('?q=Scroll')
      await shown(page, '50 of 60 people')
      await page.getByRole('region', { name: 'Invitations' }).scrollIntoViewIfNeeded()
      await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))')
      expect(await page.locator('.card').first().getByRole('progressbar').count(), 'nothing is loaded').to.equal(0)
      await shown(page, '50 of 60 people')
      await page.getByRole('button', { name: 'Load more' }).first().click()
      await shown(page, '60 of 60 people')
      await service.db.asOwner("delete from users where name like 'Scroll %'")
    })

    it('takes keys from the moment that its heading has the focus', async () => {
      await go(page, '/settings', 'Settings')
      // the navigation has it once the rights are known
      await page.locator('a[href="/console/users"]').waitFor({ state: 'attached' })
      await page.evaluate(`{
        const press = ({ target }) => target.dispatchEvent(new KeyboardEvent('keydown', { key: '/', bubbles: true }))
        document.addEventListener('focusin', (event) => queueMicrotask(() => press(event)), { once: true })
        document.querySelector('a[href="/console/users"]').click()
      }`)
      await page.getByRole('heading', { level: 1, name: 'Users' }).waitFor()
      await soon(async () => (await page.evaluate('document.activeElement?.getAttribute("name")')) === 'q')
    })

    it('is walked by keys, selected, and opened', async () => {
      await open('?q=Search')
      await found('Search Ada', 'Search Ben', 'Search Cleo')
      await page.keyboard.press('/')
      await soon(async () => (await page.evaluate('document.activeElement?.getAttribute("name")')) === 'q')
      await page.getByRole('heading', { level: 1 }).focus()
      for (const key of ['j', 'x', 'ArrowDown', 'j', 'X']) await page.keyboard.press(key)
      await shown(page, '3 selected')
      await page.keyboard.press('Escape')
      await page.locator('.bulk').waitFor({ state: 'detached' })
      await page.keyboard.press('k')
      await page.keyboard.press('Enter')
      await page.waitForURL(/\/console\/users\/\d+$/)
    })

    it('does not come back from the page that is opened next because its search was still typed', async () => {
      await go(page, '/users', 'Users')
      let release = (): void => undefined
      const held = new Promise<void>((resolve) => (release = resolve))
      await page.route('**/console/assets/part-*.js', async (route) => {
        await held
        await route.continue()
      })
      await page.getByLabel('Search name, address').fill('Search Ada')
      await page.getByRole('link', { name: 'Proof' }).click()
      // a timer that begins after the one of the search ends after it
      await page.evaluate('new Promise((resolve) => setTimeout(resolve, 200))')
      release()
      await page.getByRole('heading', { level: 1, name: 'Proof' }).waitFor()
      expect(new URL(page.url()).pathname).to.equal('/console/proof')
      await page.unroute('**/console/assets/part-*.js')
    })

    it('gives a role, and says that the last admin must stay', async () => {
      const user = await add('viewer', 'Role Ada')
      await open('?q=Role%20Ada')
      await menu('Role Ada', 'Change the role')
      await shown(page, 'The role of Role Ada')
      await dialog().getByText('they have it already').waitFor()
      await dialog().getByLabel('Role').selectOption('editor')
      await requireClean(page, 'giving a role')
      await dialog().getByRole('button', { name: 'Give the role' }).click()
      await shown(page, '1 person has the role editor now.')
      await isRole(user.id, 'editor')
      await row('Role Ada').getByText('editor', { exact: true }).waitFor()

      await open(`?q=${encodeURIComponent(admin.email)}`)
      await menu(admin.email, 'Change the role')
      await dialog().getByLabel('Role').selectOption('viewer')
      await shown(page, /^That is you\./)
      await dialog().getByRole('button', { name: 'Give the role' }).click()
      await dialog()
        .getByRole('alert')
        .getByText(/The last active admin must remain/)
        .waitFor()
      await page.keyboard.press('Escape')
      await isRole(admin.id, 'admin')
    })

    it('suspends, takes that back, and does neither to oneself', async () => {
      const user = await add('viewer', 'Suspend Ada')
      await open('?q=Suspend%20Ada')
      await menu('Suspend Ada', 'Suspend')
      await shown(page, 'Suspended. Every token of theirs is refused from now on.')
      await isSuspended(user.id, true)
      await page.getByRole('button', { name: 'Undo' }).click()
      await isSuspended(user.id, false)
      await open(`?q=${encodeURIComponent(admin.email)}`)
      await row(admin.email).locator('summary').click()
      for (const name of ['Suspend', 'Delete']) {
        const button = row(admin.email).getByRole('button', { name })
        expect(await button.getAttribute('aria-disabled'), name).to.equal('true')
        expect(await button.getAttribute('aria-describedby'), name).to.not.equal(null)
      }
      await row(admin.email).getByText('not to yourself').first().waitFor()
    })

    it('says why a suspension cannot be taken back, also where its page has been left', async () => {
      const user = await add('viewer', 'Suspend Ben')
      await open(`/${user.id}`, 'Suspend Ben')
      await page.getByRole('button', { name: 'Suspend', exact: true }).click()
      await shown(page, 'Suspended. Every token of theirs is refused from now on.')
      await service.request('DELETE', `/users/${user.id}`, { token: admin.token })
      await page.getByRole('link', { name: 'Trash' }).click()
      await page.getByRole('heading', { level: 1, name: 'Trash' }).waitFor()
      await page.getByRole('button', { name: 'Undo' }).click()
      await page.locator('.toast', { hasText: /not there/ }).waitFor()
    })

    it('says in sight of the row why nothing was done to its user, however long the list is', async () => {
      const last = await add('viewer', 'Aaron Last')
      await service.db.asOwner(
        `insert into users (email, name, role)
         select 'aaron' || i || '@example.com', 'Aaron ' || i, 'viewer' from generate_series(1, 30) i`,
      )
      await open('?q=Aaron')
      await row('Aaron Last').scrollIntoViewIfNeeded()
      const json = { status: 409, code: 'last_admin', title: 'The last active admin must remain' }
      await page.route(`**/users/${last.id}`, (route) => route.fulfill({ status: 409, json }), { times: 1 })
      await row('Aaron Last').locator('summary').press('Enter')
      await row('Aaron Last').getByRole('button', { name: 'Suspend' }).press('Enter')
      const said = page.getByText('Make somebody else an admin first.')
      await said.waitFor()
      const { y = -1 } = (await said.boundingBox()) ?? {}
      expect(y).to.be.within(0, Number(await page.evaluate('innerHeight')))
      expect(await page.evaluate('scrollY'), 'the place in the list is kept').to.be.above(0)
      await row('Aaron Last').locator('summary:focus').waitFor()
      const broken = { status: 500, code: 'internal_error', title: 'Something went wrong', request_id: 'by-which' }
      await page.route(`**/users/${last.id}`, (route) => route.fulfill({ status: 500, json: broken }), { times: 1 })
      await page.keyboard.press('Enter')
      await row('Aaron Last').getByRole('button', { name: 'Suspend' }).press('Enter')
      await shown(page, /Something went wrong.* Request by-which$/)
      await service.db.asOwner("delete from users where name like 'Aaron %'")
    })

    it('shows a suspension that is taken back on another page as taken back there', async () => {
      const user = await add('viewer', 'Suspend Cleo')
      await open('?q=Suspend%20Cleo')
      await menu('Suspend Cleo', 'Suspend')
      await row('Suspend Cleo').getByRole('link').first().click()
      await page.getByRole('button', { name: 'Reactivate' }).waitFor()
      await page.getByRole('button', { name: 'Undo' }).click()
      await page.getByRole('button', { name: 'Suspend', exact: true }).waitFor()
      await page.getByRole('button', { name: 'Suspend', exact: true }).click()
      await isSuspended(user.id, true)
      await page.getByRole('link', { name: 'To all users' }).click()
      await row('Suspend Cleo').getByText('suspended').waitFor()
      await page.getByRole('button', { name: 'Undo' }).click()
      await row('Suspend Cleo').getByText('active').waitFor()
    })

    it('changes many at once, and says beforehand who will be left out, and why', async () => {
      const users = [await add('viewer', 'Many Ada'), await add('viewer', 'Many Ben'), await add('editor', 'Many Cleo')]
      await service.request('PATCH', `/users/${users[1]?.id}`, { token: admin.token, json: { suspended: true } })
      await open('?q=Many')
      await found('Many Ada', 'Many Ben', 'Many Cleo')
      for (const name of ['Many Ada', 'Many Ben', 'Many Cleo']) await select(name)
      await shown(page, 'Suspend: 1 person will be left out: suspended already (1)')
      await requireClean(page, 'many')
      await page.getByRole('button', { name: 'Suspend 2' }).click()
      await shown(page, '2 people suspended. Every token of theirs is refused from now on.')
      for (const { id } of users) await isSuspended(id, true)
      await page.getByRole('button', { name: 'Reactivate 3' }).click()
      for (const { id } of users) await isSuspended(id, false)

      await page.getByRole('button', { name: 'Change the role' }).click()
      await dialog().waitFor()
      await page.keyboard.press('Escape')
      await soon(async () => (await page.evaluate('document.activeElement?.textContent')) === 'Change the role')
      await page.getByRole('button', { name: 'Change the role' }).click()
      await dialog().getByLabel('Role').selectOption('editor')
      await dialog().getByText('1 person will be left out: they have it already (1)').waitFor()
      await dialog().getByRole('button', { name: 'Give 2 the role' }).click()
      await shown(page, '2 people have the role editor now.')
      for (const { id } of users) await isRole(id, 'editor')
    })

    it('goes on after a refusal, and says how many were refused and why', async () => {
      const [ada, ben] = [await add('viewer', 'Gone Ada'), await add('viewer', 'Gone Ben')]
      await open('?q=Gone')
      await found('Gone Ada', 'Gone Ben')
      for (const name of ['Gone Ada', 'Gone Ben']) await select(name)
      await service.request('DELETE', `/users/${ben.id}`, { token: admin.token })
      await page.getByRole('button', { name: 'Suspend 2' }).click()
      await shown(page, '1 person could not be changed: It is not there any more, or never was.')
      await isSuspended(ada.id, true)
    })

    it('deletes somebody, whose links go to somebody else or with them', async () => {
      const [giver, loser, bare] = [
        await add('editor', 'Delete Ada'),
        await add('editor', 'Delete Ben'),
        await add('editor', 'Delete Cleo'),
      ]
      const receiver = await service.addUser('editor')
      const [given, lost] = [freshCode('given'), freshCode('lost')]
      await addLink(service.db, { code: given, owner: giver.id })
      await addLink(service.db, { code: lost, owner: loser.id })
      await open('?q=Delete')
      await menu('Delete Ada', 'Delete')
      await dialog().getByText('What becomes of their link, and of what is in their trash').waitFor()
      await requireClean(page, 'deleting')
      await dialog().getByLabel('Who gets them').fill('nobody@example.com')
      await dialog().getByRole('button', { name: 'Delete for good' }).click()
      await dialog().getByText('Nobody here has that address.').waitFor()
      await dialog().getByLabel('Who gets them').fill(receiver.email.toUpperCase())
      await dialog().getByRole('button', { name: 'Delete for good' }).click()
      await shown(page, 'Delete Ada is deleted.')
      expect(await page.locator('.people tbody :focus').count(), 'the focus goes to the next').to.equal(1)
      await menu('Delete Ben', 'Delete')
      await dialog().getByLabel('They are deleted, for good').check()
      await dialog().getByRole('button', { name: 'Delete for good' }).click()
      await shown(page, 'Delete Ben is deleted.')
      await menu('Delete Cleo', 'Delete')
      await dialog().getByText('They have no links.').waitFor()
      const late = freshCode('late')
      await addLink(service.db, { code: late, owner: bare.id })
      await dialog().getByRole('button', { name: 'Delete for good' }).click()
      await dialog()
        .getByRole('alert')
        .getByText(/They still have links/)
        .waitFor()
      await dialog().getByLabel('They are deleted, for good').check()
      await dialog().getByRole('button', { name: 'Delete for good' }).click()
      await shown(page, 'Delete Cleo is deleted.')
      await shown(page, 'Nobody matches.')
      const links = await service.db.asOwner('select code, owner_id from links where code = any($1)', [
        [given, lost, late],
      ])
      expect(links).to.deep.equal([{ code: given, owner_id: receiver.id }])
      for (const { id } of [giver, loser, bare])
        expect((await service.request('GET', `/users/${id}`, { token: admin.token })).status).to.equal(404)
    })

    it('has nobody any more whom somebody else deleted, whatever is done to them', async () => {
      const names = ['Elsewhere Ada', 'Elsewhere Ben', 'Elsewhere Cleo', 'Elsewhere Dora'] as const
      const users = await Promise.all(names.map((name) => add('editor', name)))
      await open('?q=Elsewhere')
      await found(...names)
      for (const { id } of users) await service.request('DELETE', `/users/${id}`, { token: admin.token })
      await menu('Elsewhere Ada', 'Suspend')
      await found('Elsewhere Ben', 'Elsewhere Cleo', 'Elsewhere Dora')
      await menu('Elsewhere Ben', 'Change the role')
      await dialog().getByLabel('Role').selectOption('viewer')
      await dialog().getByRole('button', { name: 'Give the role' }).click()
      await dialog().getByText('It is not there any more, or never was.').waitFor()
      await page.keyboard.press('Escape')
      await found('Elsewhere Cleo', 'Elsewhere Dora')
      await menu('Elsewhere Cleo', 'Delete')
      await dialog().getByRole('button', { name: 'Delete for good' }).click()
      await dialog().getByText('It is not there any more, or never was.').waitFor()
      await page.keyboard.press('Escape')
      await found('Elsewhere Dora')
      await select('Elsewhere Dora')
      await page.getByRole('button', { name: 'Suspend 1' }).click()
      await found()
    })

    it('gives the focus back to the menu from which a dialog was opened', async () => {
      await add('viewer', 'Menu Ada')
      await open('?q=Menu Ada')
      await menu('Menu Ada', 'Change the role')
      await dialog().waitFor()
      await page.keyboard.press('Escape')
      await row('Menu Ada').locator('summary:focus').waitFor()
    })

    it('goes by keys alone', async () => {
      const { id } = await add('viewer', 'Keys Ada')
      await open('?q=Keys')
      await page.getByLabel('Select Keys Ada').focus()
      await page.keyboard.press('Space')
      await shown(page, '1 selected')
      await page.keyboard.press('Escape')
      await soon(async () => (await page.getByText('1 selected').count()) === 0)
      await row('Keys Ada').locator('summary').focus()
      await page.keyboard.press('Enter')
      for (const _ of ['the page', 'the role', 'suspend']) await page.keyboard.press('Tab')
      await page.keyboard.press('Enter')
      await isSuspended(id, true)
    })
  })

  describe('invitations', () => {
    const item = (email: string) => page.locator('.items > li').filter({ hasText: email })

    it('are made, seen with what became of them, and withdrawn, so that their link leads nowhere', async () => {
      const email = `invited-${freshCode('x')}@example.com`
      await open()
      await page.getByRole('button', { name: 'Invite somebody' }).click()
      await page.getByLabel('Their e-mail address').fill(email)
      await page.getByLabel('Their role').selectOption('viewer')
      await page.getByRole('button', { name: 'Make the invitation' }).click()
      const link = new URL(await page.getByLabel(`Hand this link to ${email}`).inputValue())
      await item(email).getByText('open', { exact: true }).waitFor()
      await item(email).getByText('as viewer, by you').waitFor()
      // what is scrolled lies below the head of a phone
      await page.evaluate('scrollTo(0, 0)')
      await requireClean(page, 'invitations')
      expect((await service.request('GET', link.pathname)).status).to.equal(200)
      await page.getByRole('button', { name: `Withdraw the invitation of ${email}` }).press('Enter')
      await shown(page, `The link of ${email} leads nowhere any more.`)
      await item(email).getByText('withdrawn', { exact: true }).waitFor()
      await page.locator('h1:focus').waitFor()
      expect((await service.request('GET', link.pathname)).status).to.equal(410)
    })

    it('go by keys: each step has the focus, and a refusal is said', async () => {
      const email = `invited-${freshCode('x')}@example.com`
      await open()
      await page.getByRole('button', { name: 'Invite somebody' }).press('Enter')
      const address = page.getByLabel('Their e-mail address')
      await soon(() => address.and(page.locator(':focus')).isVisible())
      await page.keyboard.type(email)
      const make = page.getByRole('button', { name: 'Make the invitation' })
      const refuse = async (refusal: object) => {
        const json = { status: 409, code: 'email_taken', title: 'The address is taken', ...refusal }
        await page.route('**/users/invitations', (route) => route.fulfill({ status: 409, json }), { times: 1 })
        await make.press('Enter')
      }
      await refuse({ errors: [{ field: 'email', message: 'is taken' }] })
      await page.locator('.field .fault').waitFor()
      await soon(() => address.and(page.locator(':focus')).isVisible())
      await refuse({})
      await page.getByRole('alert').getByText('Somebody here has this address already.').waitFor()

      await make.press('Enter')
      const link = page.getByLabel(`Hand this link to ${email}`)
      await soon(() => link.and(page.locator(':focus')).isVisible())
      await page.getByRole('button', { name: 'Invite another' }).press('Enter')
      await soon(() => address.and(page.locator(':focus')).isVisible())
    })

    it('that were accepted meanwhile stay accepted, and the page says so', async () => {
      const email = `invited-${freshCode('x')}@example.com`
      const { json } = await service.request('POST', '/users/invitations', {
        token: admin.token,
        json: { email, role: 'viewer' },
      })
      await open()
      const withdraw = item(email).getByRole('button', { name: /^Withdraw/ })
      await withdraw.waitFor()
      const accepted = await service.request('POST', new URL(textAt(json, 'url')).pathname, {
        json: { name: 'Somebody', password: PASSWORD },
      })
      expect(accepted.status).to.equal(201)
      await withdraw.click()
      await shown(page, /The invitation is accepted: nothing was done/)
      await page.getByRole('button', { name: 'Try again' }).click()
      await item(email).getByText('accepted', { exact: true }).waitFor()
      expect(await page.getByRole('alert').count()).to.equal(0)
    })
  })

  describe('one user', () => {
    it('has their rights, their links and their last decisions', async () => {
      const user = await add('editor', 'Page Ada')
      const code = freshCode('page')
      await addLink(service.db, { code, owner: user.id })
      await service.request('PATCH', `/links/${code}`, { token: user.token, json: { title: HOSTILE } })
      await service.request('GET', '/users', { token: user.token })
      await until('both are recorded', async () => {
        const entries = await service.db.asOwner('select from decisions where subject_id = $1', [user.id])
        return entries.length >= 2
      })
      await open('?q=Page')
      await row('Page Ada').getByRole('link', { name: 'Page Ada' }).click()
      await page.getByRole('heading', { level: 1, name: 'Page Ada' }).waitFor()
      const grid = page.getByRole('grid', { name: 'What they may do' })
      const own = grid.getByRole('row', { name: /^link:delete / })
      await soon(async () => /allow R5\s.*deny R5/s.test((await own.innerText()).replaceAll(/[✓−\s]+/g, ' ')))
      await page.getByRole('region', { name: 'Their links' }).getByRole('link', { name: code }).waitFor()
      const decisions = page.getByRole('region', { name: 'Last decisions' })
      await decisions.getByText(`link ${code}`).waitFor()
      await decisions.getByText('role_not_allowed').waitFor()
      await requireClean(page, 'a user')
      await own.locator('td.deny').first().click()
      await shown(page, 'p, 540, R5, user, link:delete, any, deny')
      await page.keyboard.press('Escape')
      expect(await page.locator('.cell-panel').count()).to.equal(0)
    })

    it('says of oneself which token narrows what the role may', async () => {
      await service.request('POST', '/users/me/tokens', {
        token: admin.token,
        json: { name: HOSTILE, scopes: ['link:create'] },
      })
      await open(`/${admin.id}`, 'admin')
      const grid = page.getByRole('grid', { name: 'What you may do' })
      await grid.getByRole('columnheader', { name: `token ${HOSTILE}` }).waitFor()
      const cells = async (action: string) =>
        (
          await grid
            .getByRole('row', { name: new RegExp(`^${action} `) })
            .locator('td')
            .allInnerTexts()
        ).map((text) => text.replaceAll(/[✓−\s]+/g, ' ').trim())
      expect(await cells('link:create')).to.deep.equal(['allow R3', 'allow R3'])
      expect(await cells('user:delete')).to.deep.equal(['allow R3', 'deny scope'])
      expect(await page.locator('img[src=x]').count()).to.equal(0)
      expect(await page.title()).to.equal('admin · Linkgate')
      await requireClean(page, 'oneself')
    })

    it('has their name in the direction of its script', async () => {
      const name = '(שלום)!'
      const user = await add('viewer', name)
      await open(`/${user.id}`, name)
      expect(
        await page
          .getByText(name)
          .first()
          .evaluate((text) => text.matches(':dir(rtl)')),
      ).to.equal(true)
    })

    it('that is not there is said to be gone', async () => {
      await open('/4611686018427387904')
      await shown(page, 'It is not there any more, or never was.')
    })
  })

  it('are there for who may only look: every control is off, and says why', async () => {
    const reader = await addAccount(service, 'registrar')
    await addRows(service, admin.token, rowsFor('registrar', 850, 'user:read', 'policy:read'))
    const { page: other, asked } = await openSignedIn(service, reader)
    await other.goto(`${service.baseUrl}/console/users/${hostile.id}`)
    await other.getByRole('heading', { level: 1, name: HOSTILE }).waitFor()
    for (const name of ['Change the role', 'Suspend', 'Delete']) {
      const button = other.getByRole('button', { name })
      await until('it is off', async () => (await button.getAttribute('aria-disabled')) === 'true')
      expect(await button.getAttribute('aria-describedby'), name).to.not.equal(null)
    }
    await other.getByText('Their decisions stand in the log, and you cannot read it: your role may not.').waitFor()
    await other.goto(`${service.baseUrl}/console/users`)
    const invite = other.getByRole('button', { name: 'Invite somebody' })
    await until('it is off', async () => (await invite.getAttribute('aria-disabled')) === 'true')
    await requireClean(other, 'for readers')
    expect([...asked].filter((asked) => asked.includes('/users/invitations'))).to.deep.equal([])
  })

  it('offer the roles of a new installation to whose role may not read others, and ask for none', async () => {
    const host = await addAccount(service, 'host')
    await addRows(service, admin.token, rowsFor('host', 890, 'user:invite'))
    const { page: other, asked } = await openSignedIn(service, host)
    await go(other, '/users', 'Users')
    await other.getByRole('link', { name: 'Users', exact: true }).waitFor()
    await other.getByRole('button', { name: 'Invite somebody' }).click()
    await other.getByLabel('Role').last().selectOption('viewer')
    expect([...asked]).to.not.include('GET /policy')
  })

  it('show who may only invite no list, and no refusal of it', async () => {
    const host = await addAccount(service, 'greeter')
    await addRows(service, admin.token, rowsFor('greeter', 895, 'user:invite'))
    const { page: other, asked } = await openSignedIn(service, host)
    await other.getByRole('link', { name: 'Users', exact: true }).click()
    await soon(async () => asked.has('GET /users/invitations'))
    await other.getByRole('region', { name: 'Invitations' }).waitFor()
    expect(await other.getByRole('alert').count()).to.equal(0)
    expect([...asked]).to.not.include('GET /users')
  })

  it('lead nowhere else once a role was taken away, and say which one is left', async () => {
    const before = await addAccount(service, 'admin')
    const { page: theirs } = await openSignedIn(service, before)
    const rights = theirs.getByRole('link', { name: 'Access', exact: true })
    await rights.waitFor()
    const { status } = await service.request('PATCH', `/users/${before.id}`, {
      token: admin.token,
      json: { role: 'editor' },
    })
    expect(status).to.equal(200)
    await theirs.getByRole('link', { name: 'Users', exact: true }).click()
    await shown(theirs, 'Your role may not do that.')
    await rights.waitFor({ state: 'detached' })
    expect(await theirs.locator('.side-foot').innerText()).to.contain('editor')
  })

  it('do nothing to who may do more, and say so', async () => {
    const warden = await addAccount(service, 'warden')
    await addRows(
      service,
      admin.token,
      rowsFor('warden', 870, 'user:read', 'user:update', 'user:delete', 'policy:read'),
    )
    const { page: other } = await openSignedIn(service, warden)
    await other.goto(`${service.baseUrl}/console/users/${admin.id}`)
    await other.getByText('admin may do more than you').first().waitFor()
    await other.goto(`${service.baseUrl}/console/users/${hostile.id}`)
    const change = other.getByRole('button', { name: 'Change the role' })
    await until('it is on', async () => (await change.getAttribute('aria-disabled')) === null)
    await change.click()
    await other.getByRole('dialog').getByLabel('Role').selectOption('admin')
    await other.getByRole('dialog').getByText('admin may do more than you').waitFor()
  })

  it('have room for the longest name of a role on a narrow window, and for text of twice the size', async () => {
    const role = 'r'.repeat(32)
    await addRows(service, admin.token, rowsFor(role, 880, 'link:read'))
    const { context, page: tab } = await openSignedIn(service, admin)
    const fits = () =>
      soon(async () => Number(await tab.evaluate('document.documentElement.scrollWidth - innerWidth')) <= 0)
    await tab.setViewportSize({ width: 320, height: 640 })
    await go(tab, '/users', 'Users')
    await tab.getByRole('option', { name: role }).waitFor({ state: 'attached' })
    await fits()
    await (await context.newCDPSession(tab)).send('Page.setFontSizes', { fontSizes: { standard: 32 } })
    await tab.setViewportSize({ width: 800, height: 640 })
    await go(tab, '/users', 'Users')
    await fits()
  })
})
