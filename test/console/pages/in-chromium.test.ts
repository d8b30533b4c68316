import { expect } from 'chai'
import type { Page, Route } from 'playwright-core'

import { deferred } from '../../../src/domain/deferred.js'
import { PASSWORD, addAccount } from '../../support/account.js'
import { describeConsole, go, openSignedIn, refuseProfile, requireClean, shown, soon } from '../../support/console.js'
import { at, listAt, textAt } from '../../support/json.js'
import { addLink, freshCode } from '../../support/records.js'
import { startTestService, type TestService, type TestUser } from '../../support/service.js'
import { HOUR, addVisits, inHour, linkId } from '../../support/visits.js'

describeConsole('pages of the console in a browser', () => {
  let service: TestService
  let editor: TestUser
  let admin: TestUser
  let page: Page

  before(async () => {
    service = await startTestService()
    editor = await addAccount(service, 'editor')
    admin = await service.addUser('admin')
    ;({ page } = await openSignedIn(service, editor))
  })
  after(() => service.stop())

  const asked = (method: string, path: string, user: TestUser, json?: unknown) =>
    service.request(method, path, { token: user.token, json })

  /** What a script finds on the page. */
  const numbersOf = async (script: string): Promise<number[]> =>
    JSON.parse(await page.evaluate<string>(`JSON.stringify((() => {${script}})())`))

  describe('a link', () => {
    const code = freshCode('page')
    before(async () => {
      await addLink(service.db, { code, owner: editor.id, target: 'https://example.com/page' })
      const link = await linkId(service.db, code)
      const now = Math.floor(Date.now() / HOUR)
      await addVisits(
        service.db,
        [1, 2, 3, 30, 31, 800].map((ago) => ({
          link,
          at: inHour(now - ago),
          referrer: ago % 2 === 0 ? 'example.org' : null,
          country: 'SE',
          browser: 'Firefox',
          os: 'Linux',
          device: 'desktop',
        })),
      )
      await go(page, `/links/${code}`, code)
    })

    it('shows its visits, with the period before, as a chart and as a table, and where they came from', async () => {
      await page.locator('.chart').waitFor()
      await shown(page, 'example.org')
      await shown(page, 'Sweden')
      await shown(page, 'Firefox')
      expect(await page.getByText('Visits', { exact: true }).count()).to.be.greaterThan(0)
      await page.getByText('The same numbers as a table').click()
      await requireClean(page, 'a link')
    })

    it('makes no markup of where visitors say that they come from', async () => {
      const hostile = `"><img src=x onerror="document.title='ran'">`
      const [link, now] = [await linkId(service.db, code), Math.floor(Date.now() / HOUR)]
      await addVisits(service.db, [{ link, at: inHour(now - 1), referrer: hostile, browser: hostile, os: hostile }])
      await page.reload()
      await page.getByText(hostile).first().waitFor()
      expect(await page.locator('img[src=x]').count()).to.equal(0)
      expect(await page.title()).to.equal(`${code} · Linkgate`)
    })

    it('is read by keys in its chart', async () => {
      await page.locator('.chart').focus()
      await page.keyboard.press('ArrowLeft')
      const reading = () => page.locator('.chart').getAttribute('aria-valuetext')
      const first = await reading()
      await page.keyboard.press('ArrowLeft')
      await soon(async () => (await reading()) !== first)
      await page.keyboard.press('Escape')
    })

    it('keeps its reading within a period that becomes shorter under the pointer', async () => {
      const chart = page.locator('.chart')
      const box = (await chart.boundingBox()) ?? expect.fail('no chart')
      // neither by the mouse nor with the focus, which would leave the chart for the choice of the period
      await page.getByRole('radio', { name: '30 days' }).focus()
      await chart.dispatchEvent('pointermove', { clientX: box.x + box.width - 8, pointerType: 'mouse' })
      const line = chart.locator('.reading-line')
      await line.waitFor({ state: 'attached' })
      const choose = async (period: string, points: number) => {
        await page.getByRole('radio', { name: period }).press(' ')
        await soon(async () => Number(await chart.getAttribute('aria-valuemax')) + 1 === points)
      }
      await choose('7 days', 7)
      expect(await chart.getAttribute('aria-valuenow')).to.equal('6')
      expect(await line.count()).to.equal(1)
      await chart.dispatchEvent('pointerleave')
      await choose('30 days', 30)
    })

    it('has a QR code that the service made, and says who can change it', async () => {
      const picture = page.getByRole('img', { name: `QR code of ${service.baseUrl}/${code}` })
      await picture.waitFor()
      expect(await page.evaluate(`document.querySelector('img[alt^="QR code"]').naturalWidth`)).to.be.greaterThan(0)
      await page.getByText('Who can change this?').click()
      await shown(page, /You.* can change and delete it\./)
    })

    it('shows no refusal of a QR code any more once what was refused has changed', async () => {
      await page.getByText('Size, level, colours').click()
      const size = page.getByLabel('Size in pixels')
      await size.fill('5000')
      const refused = page.waitForResponse((response) => response.url().includes('format=png'))
      await page.getByRole('button', { name: 'Download as PNG' }).click()
      await (await refused).finished()
      const fault = page.locator('.fault')
      await fault.waitFor()
      await size.fill('256')
      await fault.waitFor({ state: 'detached' })
    })

    it('is edited, and both versions stand side by side where somebody else was faster', async () => {
      await page.getByRole('button', { name: 'Edit' }).click()
      await page.getByLabel('Title', { exact: true }).fill('Mine')
      await requireClean(page, 'the form of a link')
      expect((await asked('PATCH', `/links/${code}`, admin, { title: 'Theirs', note: 'also theirs' })).status).to.equal(
        200,
      )
      await page.getByRole('button', { name: 'Save' }).click()
      await shown(page, 'Somebody else changed this link while you typed')
      expect(await page.getByLabel('Title', { exact: true }).inputValue()).to.equal('Mine')
      expect(await page.getByLabel('Note', { exact: true }).inputValue()).to.equal('also theirs')
      await requireClean(page, 'two versions')
      await page.getByRole('button', { name: 'Save' }).click()
      await shown(page, 'Saved.')
      const { json } = await asked('GET', `/links/${code}`, editor)
      expect(json).to.include({ title: 'Mine', note: 'also theirs' })
    })

    it('keeps what was typed where another link has its code by then, and changes nothing of that one', async () => {
      const own = freshCode('renamed')
      await addLink(service.db, { code: own, owner: editor.id })
      const { page: tab } = await openSignedIn(service, editor)
      await go(tab, `/links/${own}`, own)
      await tab.getByRole('button', { name: 'Edit' }).click()
      const title = tab.getByLabel('Title', { exact: true })
      await title.fill('Typed')
      expect((await asked('PATCH', `/links/${own}`, admin, { code: freshCode('now') })).status).to.equal(200)
      await addLink(service.db, { code: own, owner: editor.id })
      await tab.getByRole('button', { name: 'Save' }).click()
      await shown(tab, 'Somebody may have given the link away, renamed or deleted it.')
      expect(await title.inputValue()).to.equal('Typed')
      expect((await asked('GET', `/links/${own}`, editor)).json).to.include({ title: null })
    })

    it('takes nothing that is typed while it is being saved: its answer closes the form', async () => {
      const { promise: saved, resolve: save } = deferred()
      await page.route(`**/links/${code}`, async (route) => {
        if (route.request().method() === 'PATCH') await saved
        await route.continue()
      })
      await page.getByRole('button', { name: 'Edit' }).click()
      const title = page.getByLabel('Title', { exact: true })
      await title.fill('Sent')
      await title.press('Enter')
      await page.getByRole('button', { name: 'Saving' }).waitFor()
      await title.pressSequentially(' and more')
      expect(await title.inputValue()).to.equal('Sent')
      const [end, status, passed] = [/^Ends/, 'Redirect', /^Pass the visitor/].map((name) => page.getByLabel(name))
      await end?.pressSequentially('01012031')
      await status?.press('ArrowDown')
      await passed?.press(' ')
      await passed?.click()
      expect(await end?.inputValue()).to.equal('')
      expect(await status?.inputValue()).to.equal('302')
      expect(await passed?.isChecked()).to.equal(false)
      save()
      await title.waitFor({ state: 'detached' })
      await page.unroute(`**/links/${code}`)
      await shown(page, 'Sent')
    })

    it('has a title read from the right that turns no other text, and is cut at its end', async () => {
      const own = freshCode('right')
      await addLink(service.db, { code: own, owner: editor.id })
      const retitle = async (title: string) =>
        expect((await asked('PATCH', `/links/${own}`, editor, { title })).status).to.equal(200)
      // an override of the direction, as in names of files that pretend to be pictures
      await retitle('picture \u202Egpj.exe')
      await go(page, `/links/${own}`, own)
      await page.locator('.lead a').waitFor()
      const [words, target] = await numbersOf(`
        const lead = document.querySelector('.lead')
        const words = document.createRange()
        words.selectNodeContents([...lead.childNodes].find(({ textContent }) => textContent === 'leads to'))
        return [words, lead.querySelector('a')].map((each) => each.getBoundingClientRect().left)`)
      expect(words).to.be.lessThan(target ?? 0)
      await retitle('عنوان طويل '.repeat(15))
      await go(page, `?q=${own}`, 'Links')
      await page.locator(`tr[data-code="${own}"]`).waitFor()
      const [first, cell] = await numbersOf(`
        const title = document.querySelector('tr[data-code="${own}"] .caption')
        const first = document.createRange()
        first.setStart(title.firstChild, 0)
        first.setEnd(title.firstChild, 1)
        return [first, title].map((each) => each.getBoundingClientRect().right)`)
      expect(first).to.be.at.most((cell ?? 0) + 1)
      await go(page, `/links/${code}`, code)
    })

    it('is offered free codes where another link has the one that was typed', async () => {
      const own = freshCode('renamed')
      const taken = freshCode('taken')
      await addLink(service.db, { code: own, owner: editor.id })
      await addLink(service.db, { code: taken, owner: admin.id })
      await go(page, `/links/${own}`, own)
      await page.getByRole('button', { name: 'Edit' }).click()
      await page.getByLabel('Code', { exact: true }).fill(taken)
      await page.getByRole('button', { name: 'Save' }).click()
      await shown(page, `${taken} is taken.`)
      await page.getByRole('button', { name: `${taken}-2` }).click()
      await page.getByLabel('Code', { exact: true }).press('Enter')
      await page.getByRole('heading', { level: 1, name: `${taken}-2` }).waitFor()
      await go(page, `/links/${code}`, code)
    })

    const KEPT = 'What you typed stays here: you can copy it.'
    for (const [role, what, said] of [
      ['admin', 'given away', ['The link has another owner now.']],
      ['editor', 'given away', ['You may not do that (R5).', KEPT]],
      ['editor', 'deleted', ['It is not there any more, or never was.', KEPT]],
    ] as const)
      it(`keeps what an ${role} typed where the link was ${what} meanwhile, and says so`, async () => {
        const user = await addAccount(service, role)
        const own = freshCode('meanwhile')
        await addLink(service.db, { code: own, owner: user.id })
        const { page: tab } = await openSignedIn(service, user)
        await go(tab, `/links/${own}`, new RegExp(own))
        await tab.getByRole('button', { name: 'Edit' }).click()
        const title = tab.getByLabel('Title', { exact: true })
        await title.fill('Typed')
        if (what === 'deleted') await asked('DELETE', `/links/${own}`, admin)
        else await asked('POST', `/links/${own}/transfer`, admin, { owner_id: editor.id })
        // rights depend on the owner
        const askedRights = role === 'admin' ? tab.waitForRequest('**/users/me/rights') : undefined
        await tab.getByRole('button', { name: 'Save' }).click()
        await askedRights
        for (const each of said) await shown(tab, each)
        expect(await title.inputValue()).to.equal('Typed')
        await requireClean(tab, `a link that was ${what}`)
        if (role === 'editor') return
        await tab.getByRole('button', { name: 'Save' }).click()
        await shown(tab, 'Saved.')
        expect((await asked('GET', `/links/${own}`, admin)).json).to.include({ title: 'Typed', owner_id: editor.id })
        // a form in which nothing was typed has the version from before
        await tab.getByRole('button', { name: 'Edit' }).click()
        await tab.getByLabel(`More for ${own}`).click()
        await tab.getByRole('button', { name: 'Give to somebody else' }).click()
        await tab.getByLabel('Who gets it').fill(user.email)
        await tab.getByRole('button', { name: 'Give it away' }).click()
        await shown(tab, `${own} has another owner.`)
        await title.waitFor({ state: 'detached' })
      })

    it('says of a field that the service refuses what is wrong, and keeps what was typed', async () => {
      await page.getByRole('button', { name: 'Edit' }).click()
      await page.getByLabel('Leads to').fill('javascript:alert(1)')
      await page.getByRole('button', { name: 'Save' }).click()
      await page.locator('.fault').first().waitFor()
      expect(await page.getByLabel('Leads to').inputValue()).to.equal('javascript:alert(1)')
      await requireClean(page, 'a refused target')
    })

    it('asks before what was typed is lost, wherever somebody goes', async () => {
      const target = page.getByLabel('Leads to')
      const question = page.getByRole('dialog', { name: 'Leave without saving?' })
      const stay = async () => {
        await question.getByRole('button', { name: 'Keep editing' }).click()
        await question.waitFor({ state: 'detached' })
        expect(await target.inputValue()).to.equal('javascript:alert(1)')
        expect(new URL(page.url()).pathname).to.equal(`/console/links/${code}`)
      }
      await page.getByRole('button', { name: 'Cancel' }).click()
      await stay()
      await page.getByRole('link', { name: 'Trash' }).click()
      await stay()
      // a page before this one in the same document
      await page.evaluate(`history.replaceState(null, '', '/console/trash')`)
      await page.evaluate(`history.pushState(null, '', '/console/links/${code}')`)
      await page.evaluate('history.back()')
      await stay()
      const asked = page.waitForEvent('dialog')
      await page.evaluate('setTimeout(() => location.reload())')
      const dialog = await asked
      expect(dialog.type()).to.equal('beforeunload')
      await dialog.dismiss()
      expect(await target.inputValue()).to.equal('javascript:alert(1)')

      await page.evaluate('history.back()')
      await question.getByRole('button', { name: 'Discard the changes' }).click()
      await page.getByRole('heading', { level: 1, name: 'Trash' }).waitFor()
      await go(page, `/links/${code}`, new RegExp(code))
      await page.getByRole('button', { name: 'Edit' }).click()
      await page.getByRole('button', { name: 'Cancel' }).click()
      await target.waitFor({ state: 'detached' })
      expect(await question.count(), 'nothing was changed').to.equal(0)
      await page.getByRole('button', { name: 'Edit' }).click()
      await page.getByLabel('Title', { exact: true }).fill('Given up')
      await page.getByRole('button', { name: 'Cancel' }).click()
      await question.getByRole('button', { name: 'Discard the changes' }).click()
      await target.waitFor({ state: 'detached' })
    })

    it('asks before what was typed is lost by its deletion, its transfer, an undo or a sign-out', async () => {
      const owner = await addAccount(service, 'admin')
      const [gone, other] = [freshCode('typed'), freshCode('typed')]
      for (const each of [gone, other]) await addLink(service.db, { code: each, owner: owner.id })
      const { page: tab } = await openSignedIn(service, owner)
      const title = tab.getByLabel('Title', { exact: true })
      const question = tab.getByRole('dialog', { name: 'Leave without saving?' })
      const press = (name: string) => tab.getByRole('button', { name, exact: true }).click()
      const fromMenu = async (name: string) => {
        await tab.getByLabel(`More for ${gone}`).click()
        await press(name)
      }
      const edit = async () => {
        await press('Edit')
        await title.fill('Not saved')
      }
      const stay = async () => {
        await question.getByRole('button', { name: 'Keep editing' }).click()
        await question.waitFor({ state: 'detached' })
        expect(await title.inputValue()).to.equal('Not saved')
      }
      const discard = () => question.getByRole('button', { name: 'Discard the changes' }).click()
      const statusOf = async (each: string) => (await asked('GET', `/links/${each}`, owner)).status

      await go(tab, `/links/${gone}`, new RegExp(gone))
      await edit()
      await fromMenu('Give to somebody else')
      await stay()
      await fromMenu('Give to somebody else')
      await discard()
      await tab.getByLabel('Who gets it').waitFor()
      await press('Cancel')
      expect(await title.count(), 'what was discarded').to.equal(0)
      await edit()
      await fromMenu('Delete')
      await stay()
      expect(await statusOf(gone)).to.equal(200)
      await fromMenu('Delete')
      await discard()
      await tab.locator(`tr[data-code="${other}"] .link-cell a`).click()
      await edit()
      await press('Undo')
      await stay()
      expect(await statusOf(gone), 'undone all the same').to.equal(200)
      await press('Sign out')
      await stay()
      await press('Sign out')
      await discard()
      await tab.getByRole('heading', { name: 'Sign in to Linkgate' }).waitFor()
    })

    it('is switched off by one press, and visitors are told that there is nothing', async () => {
      await page.getByRole('switch', { name: 'On' }).click()
      await shown(page, 'It is off.')
      expect((await service.request('GET', `/${code}`)).status).to.equal(404)
      await requireClean(page, 'a link that is off')
      await page.getByRole('switch', { name: 'On' }).click()
      await soon(async () => (await service.request('GET', `/${code}`)).status === 302)
    })

    it('of somebody else shows what every visitor can know, and says why not more', async () => {
      const other = freshCode('theirs')
      await addLink(service.db, { code: other, owner: admin.id, target: 'https://example.com/theirs' })
      await go(page, `/links/${other}`, other)
      await shown(page, 'You see what every visitor can know.')
      await requireClean(page, 'a link of somebody else')
    })

    it('says what its reader may not do, and whose it is, once an outage has ended', async () => {
      const code = freshCode('theirs')
      const owner = await service.addUser('editor')
      await asked('PATCH', '/users/me', owner, { name: 'Olga Owner' })
      await addLink(service.db, { code, owner: owner.id })
      const { page: tab } = await openSignedIn(service, await addAccount(service, 'admin'))
      /** Opens the link in an outage of a path, which ends after as many requests as the client sends by itself. */
      const openInOutage = async (reader: Page, path: string, requests: number, text: string) => {
        let failed = 0
        await reader.route(`${service.baseUrl}${path}`, (route) => {
          failed += 1
          return route.abort()
        })
        await go(reader, `/links/${code}`, code)
        await soon(async () => failed >= requests)
        await reader.unroute(`${service.baseUrl}${path}`)
        await soon(async () => {
          await reader.evaluate("dispatchEvent(new Event('online'))")
          return (await reader.getByText(text).count()) > 0
        })
      }
      // the general rights and those to the link
      await openInOutage(page, '/users/me/rights', 6, 'R5: not yours')
      await openInOutage(tab, `/users/${owner.id}`, 3, 'Olga Owner')
    })

    it('has its title in the direction of its script, also for others and in the trash', async () => {
      const [other, title] = [freshCode('hebrew'), '(שלום)!']
      await asked('POST', '/links', admin, { code: other, title, target: 'https://example.com/' })
      const direction = () => page.getByText(title).evaluate((text) => text.matches(':dir(rtl)'))
      await go(page, `/links/${other}`, other)
      expect(await direction(), 'for others').to.equal(true)
      await asked('POST', `/links/${other}/transfer`, admin, { owner_id: editor.id })
      await asked('DELETE', `/links/${other}`, editor)
      await go(page, `/trash?q=${other}`, 'Trash')
      expect(await direction(), 'in the trash').to.equal(true)
    })

    it('has a history of all that happened to it, the oldest when asked for', async () => {
      const old = freshCode('old')
      const made = await asked('POST', '/links', editor, { code: old, target: 'https://example.com/' })
      expect(made.status, made.text).to.equal(201)
      for (const title of ['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight'])
        expect((await asked('PATCH', `/links/${old}`, editor, { title })).status).to.equal(200)
      const admin = await addAccount(service, 'admin')
      const { page: tab } = await openSignedIn(service, admin)
      await go(tab, `/links/${old}`, old)
      const events = tab.locator('.history > li')
      await soon(async () => (await events.count()) === 8)
      await tab.getByRole('button', { name: 'Older' }).press('Enter')
      await soon(async () => (await events.count()) === 9)
      await soon(async () => (await tab.evaluate('document.activeElement?.className')) === 'history')
      await events.last().getByText('made').waitFor()
    })

    it('whose deletion takes long takes nobody back from the page to which they went meanwhile', async () => {
      const slow = freshCode('slow')
      await addLink(service.db, { code: slow, owner: editor.id })
      await go(page, `/links/${slow}`, slow)
      let release: () => unknown = () => expect.fail('nothing was deleted')
      const released = new Promise<void>((resolve) => {
        release = resolve
      })
      await page.route(`**/links/${slow}`, async (route) => {
        await released
        await route.continue()
      })
      await page
        .locator('summary', { has: page.locator('svg') })
        .first()
        .click()
      await page.getByRole('button', { name: 'Delete', exact: true }).click()
      await page.getByRole('link', { name: 'Trash' }).click()
      await page.getByRole('heading', { level: 1, name: 'Trash' }).waitFor()
      release()
      await page.locator('.toast', { hasText: /^Deleted/ }).waitFor()
      expect(new URL(page.url()).pathname).to.equal('/console/trash')
      await page.unroute(`**/links/${slow}`)
    })

    it('whose change takes long is not put over another link to which somebody went meanwhile', async () => {
      const [slow, next] = [freshCode('slow'), freshCode('next')]
      for (const each of [slow, next]) await addLink(service.db, { code: each, owner: editor.id })
      await go(page, `/links/${slow}`, slow)
      // a page before this one in the same document
      await page.evaluate(`history.replaceState(null, '', '/console/links/${next}')`)
      await page.evaluate(`history.pushState(null, '', '/console/links/${slow}')`)
      const isGone = deferred()
      await page.route(`**/links/${slow}`, async (route) => {
        await isGone.promise
        await route.continue()
      })
      await page.getByRole('switch', { name: 'On' }).click()
      await page.evaluate('history.back()')
      await page.getByRole('heading', { level: 1, name: next }).waitFor()
      const changed = page.waitForResponse((response) => response.request().method() === 'PATCH')
      isGone.resolve()
      await (await changed).finished()
      await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))')
      expect(await page.getByRole('heading', { level: 1 }).textContent()).to.contain(next)
      await page.unroute(`**/links/${slow}`)
    })

    it('that was just changed is not shown as a slower answer has it', async () => {
      const own = freshCode('slower')
      const [giver, taker] = [await addAccount(service, 'admin'), await service.addUser('editor')]
      await addLink(service.db, { code: own, owner: giver.id })
      const { page: tab } = await openSignedIn(service, giver)
      await go(tab, `/links/${own}`, own)
      const isAsked = deferred()
      const isChanged = deferred()
      const isAnswered = deferred()
      // the page loads the link again once it is given away
      const load = async (route: Route) => {
        const response = await route.fetch()
        isAsked.resolve()
        await isChanged.promise
        // fails where nobody waits for it any more
        await route.fulfill({ response }).catch(() => undefined)
        isAnswered.resolve()
      }
      await tab.route(`**/links/${own}`, load, { times: 1 })
      await tab.getByLabel(`More for ${own}`).click()
      await tab.getByRole('button', { name: 'Give to somebody else' }).click()
      await tab.getByLabel('Who gets it').fill(taker.id)
      await tab.getByRole('button', { name: 'Give it away' }).click()
      await isAsked.promise
      const isOn = tab.getByRole('switch', { name: 'On' })
      await isOn.click()
      await shown(tab, 'It is off.')
      isChanged.resolve()
      await isAnswered.promise
      await tab.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))')
      expect(await isOn.isChecked()).to.equal(false)
    })

    it('that is not there leads back', async () => {
      await page.goto(`${service.baseUrl}/console/links/there-is-none`)
      await shown(page, 'It is not there any more, or never was.')
      await requireClean(page, 'no link')
      await page.getByRole('link', { name: 'To your links' }).click()
      await page.getByRole('heading', { level: 1, name: 'Links' }).waitFor()
    })
  })

  describe('the visits', () => {
    it('of all links have a page, with the most visited', async () => {
      await go(page, '/visits', 'Visits')
      await page.locator('.chart').waitFor()
      await shown(page, 'Most visited')
      await requireClean(page, 'the visits')
    })

    it('say what to do where there are none', async () => {
      await go(page, '/visits?tag=nothing-has-this', 'Visits')
      await shown(page, 'Choose a longer period, or copy a link and pass it on.')
      await requireClean(page, 'no visits')
      await page.getByRole('main').getByRole('link', { name: 'To your links' }).click()
      await page.getByRole('heading', { name: 'Links', exact: true }).waitFor()
    })

    it('say that nobody counts them where that is so, and show what was counted before', async () => {
      const off = await startTestService({ db: service.db, environment: { VISITS: 'off' } })
      try {
        const quiet = await openSignedIn(off, editor)
        await go(quiet.page, '/visits', 'Visits')
        await shown(quiet.page, 'Visits are not counted here')
        await quiet.page.locator('.chart').waitFor()
        await requireClean(quiet.page, 'visits that are not counted')
      } finally {
        await off.stop()
      }
    })
  })

  describe('the settings', () => {
    before(() => go(page, '/settings', 'Settings'))

    it('are clean, and change the name', async () => {
      await requireClean(page, 'the settings')
      await page.getByLabel('Name', { exact: true }).fill('Edda')
      await page.getByRole('button', { name: 'Save' }).click()
      await shown(page, 'Your name is changed.')
      expect((await asked('GET', '/users/me', editor)).json).to.include({ name: 'Edda' })
    })

    it('say why the profile cannot be loaded, and load it when asked to', async () => {
      await page.route('**/users/me', refuseProfile)
      await page.reload()
      await shown(page, 'Your role may not do that.')
      await page.unroute('**/users/me')
      await page.getByRole('button', { name: 'Try again' }).click()
      await page.getByLabel('Name', { exact: true }).waitFor()
      expect(await page.getByText('Your role may not do that.').count()).to.equal(0)
    })

    it('hide the next password again once one that was shown is changed', async () => {
      const { page: tab } = await openSignedIn(service, await addAccount(service))
      await go(tab, '/settings', 'Settings')
      await tab.getByLabel('Current password').fill(PASSWORD)
      const next = tab.getByLabel('New password')
      await next.fill('another long password')
      await tab.getByRole('button', { name: 'Show the password' }).last().click()
      expect(await next.getAttribute('type')).to.equal('text')
      await tab.getByRole('button', { name: 'Change the password' }).click()
      await shown(tab, 'Your password is changed.')
      expect(await next.inputValue()).to.equal('')
      expect(await next.getAttribute('type')).to.equal('password')
      expect(await tab.getByRole('button', { name: 'Hide the password' }).count()).to.equal(0)
    })

    it('fold the form of a token by the button that unfolds it', async () => {
      const make = page.getByRole('button', { name: 'Make a token' })
      await make.click()
      await page.getByLabel('What it is for').waitFor()
      expect(await make.getAttribute('aria-expanded')).to.equal('true')
      await make.click()
      await page.getByLabel('What it is for').waitFor({ state: 'detached' })
      expect(await make.getAttribute('aria-expanded')).to.equal('false')
    })

    it('announce what is wrong with the rights of a token', async () => {
      const message = 'link:read is not among the scopes of the requesting token'
      const problem = { title: 'Unprocessable', status: 422, code: 'validation_failed' }
      const answer = { status: 422, json: { ...problem, errors: [{ field: 'scopes.0', message }] } }
      await page.route('**/users/me/tokens', (route) =>
        route.request().method() === 'POST' ? route.fulfill(answer) : route.continue(),
      )
      await page.getByRole('button', { name: 'Make a token' }).click()
      await page.getByLabel('What it is for').fill('refused')
      await page.getByRole('button', { name: 'Make the token' }).click()
      await page.getByRole('alert').getByText(message).waitFor()
      await page.unroute('**/users/me/tokens')
      await page.getByRole('button', { name: 'Cancel' }).click()
    })

    it('make a token, show it once, and revoke it', async () => {
      await page.getByRole('button', { name: 'Make a token' }).click()
      await page.getByLabel('What it is for').fill('nightly import')
      await requireClean(page, 'the form of a token')
      await page.getByRole('button', { name: 'Make the token' }).click()
      await shown(page, 'This secret is shown once. Copy it now.')
      await requireClean(page, 'the secret')
      const secret = await page.getByLabel('The token', { exact: true }).inputValue()
      expect((await service.request('GET', '/users/me', { token: secret })).status).to.be.oneOf([200, 403])
      await page.getByRole('button', { name: 'I have copied it' }).click()
      expect(await page.content()).to.not.contain(secret)
      await page.locator('h1:focus').waitFor()

      await page.getByRole('button', { name: 'Revoke nightly import' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
      await shown(page, 'nightly import is revoked.')
      await page.locator('h1:focus').waitFor()
      expect((await service.request('GET', '/users/me', { token: secret })).status).to.equal(401)
    })

    it('offer a token all that its owner may do to their own records, and nothing more', async () => {
      await go(page, '/settings', 'Settings')
      await page.getByRole('button', { name: 'Make a token' }).click()
      await soon(async () => (await page.getByLabel(/^invite people/).getAttribute('aria-disabled')) === 'true')
      await page.getByLabel('What it is for').fill('own links')
      for (const right of ['change links', 'delete links', 'change your account'])
        await page.getByLabel(right, { exact: true }).check()
      await page.getByRole('button', { name: 'Make the token' }).click()
      await page.getByRole('button', { name: 'I have copied it' }).click()
      await shown(page, 'It may: change links, delete links, change your account')
    })

    it('have a token no longer in the list that was revoked elsewhere, whatever is done to it', async () => {
      await page.getByRole('button', { name: 'Make a token' }).click()
      await page.getByLabel('What it is for').fill('brief import')
      await page.getByRole('button', { name: 'Make the token' }).click()
      await page.getByRole('button', { name: 'I have copied it' }).click()
      const revoke = page.getByRole('button', { name: 'Revoke brief import' })
      await revoke.waitFor()
      await service.db.asOwner(`delete from personal_tokens where name = 'brief import'`)
      await revoke.click()
      await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
      await page.getByRole('dialog').getByText('It is not there any more, or never was.').waitFor()
      await page.keyboard.press('Escape')
      await revoke.waitFor({ state: 'detached' })
    })

    it('show the sign-ins, and end another one at once', async () => {
      const answer = await service.request('POST', '/auth/token', {
        json: { grant_type: 'password', username: editor.email, password: PASSWORD },
      })
      const token = textAt(answer.json, 'access_token')
      await page.reload()
      await shown(page, 'this browser')
      await page
        .getByRole('button', { name: /^End the sign-in/ })
        .first()
        .click()
      await shown(page, 'That sign-in has ended.')
      await page.locator('.items :focus').waitFor()
      await soon(async () => (await service.request('GET', '/users/me', { token })).status === 401)
      const { json } = await asked('GET', '/users/me/sign-ins', editor)
      expect(listAt(json, 'data').length).to.be.greaterThan(0)
      expect(at(json, 'data', '0', 'id')).to.be.a('string')
    })

    it('have a sign-in no longer in the list that was ended elsewhere, whatever is done to it', async () => {
      await service.request('POST', '/auth/token', {
        json: { grant_type: 'password', username: editor.email, password: PASSWORD },
      })
      const [answer] = await Promise.all([page.waitForResponse('**/users/me/sign-ins'), page.reload()])
      const ends = page.getByRole('button', { name: /^End the sign-in/ })
      await ends.first().waitFor()
      const others = listAt(await answer.json(), 'data').filter((each) => at(each, 'current') === false)
      for (const each of others) await asked('DELETE', `/users/me/sign-ins/${textAt(each, 'id')}`, editor)
      await ends.first().click()
      await shown(page, 'It is not there any more, or never was.')
      await soon(async () => (await ends.count()) === 0)
    })

    it('choose the theme at once, and the language', async () => {
      await page.getByLabel('Dark', { exact: true }).check({ force: true })
      expect(await page.evaluate('document.documentElement.dataset.theme')).to.equal('dark')
      await page.reload()
      await page.getByRole('heading', { level: 1 }).waitFor()
      expect(await page.evaluate('document.documentElement.dataset.theme')).to.equal('dark')
      await page.getByLabel('As the system').check({ force: true })
      await page.getByLabel('Deutsch').check({ force: true })
      await page.getByRole('heading', { level: 1, name: 'Einstellungen' }).waitFor()
      await requireClean(page, 'the settings in German')
      await page.getByLabel('English').check({ force: true })
      await page.getByRole('heading', { level: 1, name: 'Settings' }).waitFor()
    })
  })
})
