import { readFile } from 'node:fs/promises'

import { expect } from 'chai'
import type { Locator, Page } from 'playwright-core'

import { deferred } from '../../../src/domain/deferred.js'
import { addAccount } from '../../support/account.js'
import { describeConsole, go, openSignedIn, requireClean, resize, shown, soon } from '../../support/console.js'
import { editPolicy } from '../../support/edit-policy.js'
import { textAt } from '../../support/json.js'
import { addLink, freshCode } from '../../support/records.js'
import { startTestService, type TestService, type TestUser } from '../../support/service.js'
import { until } from '../../support/until.js'

/** Rows that let the role auditor read the policy, and do nothing with it. */
const AUDITOR = [
  {
    ptype: 'p',
    priority: 310,
    rule: 'AUDITOR-RO',
    role: 'auditor',
    action: 'link:create',
    reach: 'any',
    effect: 'deny',
  },
  { ptype: 'p', priority: 810, rule: 'AUDITOR', role: 'auditor', action: 'policy:read', reach: 'any', effect: 'allow' },
  { ptype: 'p2', role: 'auditor', action: 'policy:read' },
]

describeConsole('the pages of the policy in a browser', () => {
  let service: TestService
  let admin: TestUser
  let auditor: TestUser
  let page: Page

  before(async () => {
    service = await startTestService()
    admin = await addAccount(service, 'admin')
    auditor = await addAccount(service, 'auditor')
    await editPolicy(service, admin.token, { add: AUDITOR })
    ;({ page } = await openSignedIn(service, admin))
  })
  after(() => service.stop())

  /** What stood there for another question is gone before this one is answered. */
  const leavesNothing = async (path: string, ask: () => Promise<unknown>, old: string) => {
    const over = deferred()
    const held = (url: URL) => url.pathname === path
    await page.route(held, async (route) => {
      await over.promise
      await route.continue()
    })
    const asked = page.waitForRequest((request) => held(new URL(request.url())))
    await ask()
    await asked
    await soon(async () => (await page.locator(old).count()) === 0).finally(over.resolve)
    await page.locator(old).first().waitFor()
    await page.unroute(held)
  }

  describe('access', () => {
    const grid = () => page.getByRole('grid', { name: 'Access' })
    const active = () => page.locator('.matrix td[tabindex="0"]')
    const headingOf = () => page.locator('#cell-title').textContent()
    before(() => go(page, '/access', 'Access'))

    it('is a table of every role and action, with words for allow and deny', async () => {
      await grid().waitFor()
      expect(await grid().getByRole('columnheader', { name: 'auditor', exact: true }).count()).to.equal(1)
      const row = grid().getByRole('row', { name: /^link:delete / })
      expect(await row.getByRole('gridcell').allInnerTexts()).to.have.length.greaterThan(5)
      expect((await row.innerText()).replaceAll(/\s+/g, ' ')).to.contain('allow R3')
      await requireClean(page, 'the matrix')
    })

    it('is walked by arrows, Home and End, opened by Enter, and left by Escape to the same cell', async () => {
      await active().focus()
      await page.keyboard.press('Control+Home')
      await page.keyboard.press('ArrowRight')
      await page.keyboard.press('End')
      await page.keyboard.press('ArrowDown')
      const where = await active().getAttribute('aria-colindex')
      await page.keyboard.press('Enter')
      expect(await headingOf()).to.equal('any other role, link:create, any')
      await page.locator('.policy-rows .decides').first().waitFor()
      await soon(async () => (await page.evaluate('document.activeElement.id')) === 'cell-title')
      await requireClean(page, 'a cell')
      const openTheNext = async () => {
        await active().focus()
        await page.keyboard.press('ArrowLeft')
        await page.keyboard.press('Enter')
      }
      await leavesNothing('/policy/explanation', openTheNext, '.policy-rows')
      await active().focus()
      await page.keyboard.press('ArrowRight')
      await page.keyboard.press('Enter')
      await page.keyboard.press('Escape')
      await soon(async () => (await page.evaluate('document.activeElement.getAttribute("aria-colindex")')) === where)
      await page.keyboard.press('Home')
      expect(await active().getAttribute('aria-colindex')).to.equal('2')
    })

    it('opens the rows of a cell in their order, in words and raw, with the one that decides', async () => {
      await grid()
        .getByRole('row', { name: /^link:delete / })
        .locator('td.deny')
        .nth(1)
        .click()
      await shown(page, 'Everybody who is signed in may not delete what is not theirs')
      await shown(page, 'p, 540, R5, user, link:delete, any, deny')
      const rows = await page.locator('.cell-panel .policy-rows').last().locator('li').allInnerTexts()
      expect(rows.map((text) => /\d+/.exec(text)?.[0])).to.deep.equal(['530', '540', '999999'])
      expect(rows[0]).to.contain('does not match')
      expect(rows[1]).to.contain('decides')
      expect(rows[2]).to.contain('not reached')
    })

    it('answers any other action as well', async () => {
      await grid()
        .getByRole('row', { name: /^any other action/ })
        .locator('td')
        .first()
        .click()
      await shown(page, /^Whoever is not signed in may do nothing else/)
    })

    it('is searched, and keeps what was searched for in its address', async () => {
      await page.getByLabel('Find a role or an action').fill('editor delete')
      await soon(async () => (await grid().getByRole('row').count()) === 2 + 2)
      await page.waitForURL(/find=editor\+delete/)
      await page.reload()
      await soon(async () => (await grid().getByRole('row').count()) === 2 + 2)
      await page.getByLabel('Find a role or an action').fill('<img src=x onerror=alert(1)>')
      await shown(page, 'No role and no action has “<img src=x onerror=alert(1)>” in its name.')
      await page.getByRole('button', { name: 'Show all' }).click()
      await grid().waitFor()
    })

    it('is saved as CSV, as the service has it', async () => {
      const download = page.waitForEvent('download')
      await page.getByRole('button', { name: 'Export CSV' }).click()
      const saved = await download
      const { text } = await service.request('GET', '/policy/decisions?format=csv', { token: admin.token })
      expect(await readFile(await saved.path(), 'utf8')).to.equal(text)
    })

    it('shows an edit of somebody else as soon as it is in force, and an earlier revision on demand', async () => {
      const freeze = { rule: 'FREEZE', role: 'editor', action: 'link:delete', reach: 'any', effect: 'deny' }
      const revision = await editPolicy(service, admin.token, { add: [{ ptype: 'p', priority: 525, ...freeze }] })
      await shown(page, `Revision ${revision}, in force.`)
      const deletes = grid().getByRole('row', { name: /^link:delete / })
      await soon(async () => (await deletes.innerText()).includes('FREEZE'))
      await page.getByText(`At: now, revision ${revision}`).click()
      await page.getByLabel('Revision', { exact: true }).fill(String(revision - 1))
      await page.getByRole('button', { name: 'Show', exact: true }).click()
      await shown(page, `As it was under revision ${revision - 1}.`)
      await soon(async () => !(await deletes.innerText()).includes('FREEZE'))
    })

    it('says in the menu of revisions that there was none at a moment, and keeps what was typed', async () => {
      await page.getByText(/^At: /).click()
      await page.getByLabel('Revision', { exact: true }).fill('')
      await page.getByLabel('In force on', { exact: true }).fill('1999-12-31T23:59')
      await page.getByRole('button', { name: 'Show', exact: true }).click()
      await shown(page, 'There was no revision yet.')
      await soon(async () => (await page.evaluate(`document.activeElement?.getAttribute('name')`)) === 'time')
      await page.keyboard.press('Escape')
    })

    it('shows one role at a time on a phone', async () => {
      await resize(page, { width: 360, height: 780 })
      await page.getByLabel('Role', { exact: true }).selectOption('auditor')
      await grid().getByRole('columnheader', { name: 'auditor', exact: true }).waitFor()
      expect(await grid().getByRole('columnheader', { name: 'admin', exact: true }).count()).to.equal(0)
      await resize(page, { width: 1_280, height: 800 })
    })

    it('shows all columns of a role and all of a label on the narrowest phone, in German too', async () => {
      const cells = [
        ['anonymous', 'anonymous', 'deny', 'R2'],
        ['editor', 'own', 'allow', 'R5'],
        ['editor', 'other', 'deny', 'FREEZE-UNTIL-27'],
      ].flatMap(([role, relation, effect, rule]) =>
        ['policy:evaluate', '*'].map((action) => ({ role, action, relation, effect, rule, endpoint: 'allow' })),
      )
      await page.route('**/policy/decisions*', (route) => route.fulfill({ json: { revision: 7, decisions: cells } }))
      await resize(page, { width: 320, height: 640 })
      await page.evaluate(`localStorage.setItem('language', 'de')`)
      await go(page, '/access', 'Wer darf was')
      await page.locator('.matrix .long').first().waitFor()
      const cut = `[...document.querySelectorAll('.matrix, .matrix .verdict, .matrix .long, .matrix th')]
        .filter((each) => each.scrollWidth > each.clientWidth).map((each) => each.outerHTML.slice(0, 200))`
      expect(await page.evaluate(cut)).to.deep.equal([])
      await page.evaluate(`localStorage.removeItem('language')`)
      await page.unroute('**/policy/decisions*')
      await resize(page, { width: 1_280, height: 800 })
      await go(page, '/access', 'Access')
    })

    it('draws only what is in sight of two hundred roles, and its keys reach the last of them', async () => {
      const roles = ['anonymous', ...Array.from({ length: 200 }, (_, i) => `role-${i}`), 'user']
      const actions = [...Array.from({ length: 60 }, (_, i) => `thing${i % 9}:do${i}`), '*']
      const decisions = roles.flatMap((role, i) =>
        actions.flatMap((action, j) =>
          (role === 'anonymous' ? ['anonymous'] : ['own', 'other']).map((relation, k) => {
            const effect = (i + j + k) % 3 === 0 ? 'allow' : 'deny'
            return { role, action, relation, effect, rule: 'R1', endpoint: 'allow' }
          }),
        ),
      )
      await page.route('**/policy/decisions*', (route) => route.fulfill({ json: { revision: 7, decisions } }))
      await go(page, '/access', 'Access')
      await page.getByText('Roles: all 202').waitFor()
      expect(await grid().getAttribute('aria-colcount')).to.equal('404')
      expect(await page.locator('.matrix td').count()).to.be.lessThan(4_000)
      await active().focus()
      await page.keyboard.press('Control+End')
      await soon(async () => (await page.evaluate('document.activeElement.getAttribute("aria-colindex")')) === '404')
      await page.keyboard.press('Home')
      await soon(async () => (await page.evaluate('document.activeElement.getAttribute("aria-colindex")')) === '2')

      await page.getByText('Roles: all 202').click()
      await page.getByLabel('Find a role', { exact: true }).fill('role-177')
      await page.getByLabel('role-177', { exact: true }).check()
      await page.keyboard.press('Escape')
      await page.getByText('Roles: 1 of 202 pinned').waitFor()
      expect(await grid().getByRole('columnheader').nth(1).textContent()).to.equal('role-177')
      await page.getByLabel('Find a role or an action').fill('do59')
      await soon(async () => (await grid().getByRole('row').count()) === 2 + 1)
      await requireClean(page, 'many roles')
      await page.unroute('**/policy/decisions*')
    })
  })

  it('give the words of a matrix room where somebody has chosen larger text', async () => {
    const { context, page: tab } = await openSignedIn(service, admin)
    await (await context.newCDPSession(tab)).send('Page.setFontSizes', { fontSizes: { standard: 32 } })
    await tab.setViewportSize({ width: 1_600, height: 900 })
    await go(tab, '/access', 'Access')
    await tab.locator('.matrix .verdict').first().waitFor()
    expect(await tab.locator('.matrix thead th[scope=colgroup]').count()).to.be.greaterThan(1)
    const cut = await tab
      .locator('.matrix .verdict')
      .evaluateAll((all) => all.filter((each) => each.scrollWidth > each.clientWidth).length)
    expect(cut).to.equal(0)
  })

  it('mark the open cell and the open revision where the system chooses the colours', async () => {
    const { page: tab } = await openSignedIn(service, admin)
    await tab.emulateMedia({ forcedColors: 'active', reducedMotion: 'reduce' })
    /** what it looks like once another has the pointer and the focus */
    const look = async (one: Locator) => {
      await tab.getByRole('heading', { level: 1 }).focus()
      await tab.mouse.move(0, 0)
      return (await one.screenshot()).toString('base64')
    }

    await go(tab, '/access', 'Access')
    const cell = tab.locator('.matrix td.allow').first()
    const isClosed = await look(cell)
    await cell.click()
    await tab.locator('.policy-rows .decides').first().waitFor()
    expect(await look(cell), 'a cell').not.to.equal(isClosed)

    await go(tab, '/revisions', 'Revisions')
    const revision = tab.locator('.time-line > li').last()
    const isUnread = await look(revision)
    await revision.locator('.reason-button').click()
    await revision.locator('[aria-current]').waitFor()
    expect(await look(revision), 'a revision').not.to.equal(isUnread)
  })

  describe('revisions', () => {
    const HOSTILE = `"><img src=x onerror="document.title='ran'">`
    const item = (revision: number) => page.locator('.time-line > li').filter({ hasText: `Revision ${revision}:` })
    const latest = async () => Number((await page.locator('.mark-number.now').textContent()) ?? '')
    before(async () => {
      const freeze = { ptype: 'p', priority: 505, rule: 'FREEZE', role: 'editor', action: 'link:update' }
      await editPolicy(service, admin.token, { add: [{ ...freeze, reach: 'any', effect: 'deny' }], reason: HOSTILE })
      await service.db.asOwner(`insert into casbin (ptype, rule) values ('p2', '["clerk", "link:read"]')`)
      await go(page, '/revisions', 'Revisions')
      await page.locator('.mark-number.now').waitFor()
    })

    it('are a time line: why, who and when, rows and decisions counted apart, edits by SQL marked', async () => {
      const revision = await latest()
      await item(revision).getByText('by SQL').waitFor()
      const before = item(revision - 1)
      await before.getByText('2 decisions: 1 to deny, 1 by another rule').waitFor()
      expect(await before.innerText())
        .to.contain('+1 −0 rows')
        .and.to.contain(admin.email)
      await item(1)
        .getByText(/^\d+ decisions: /)
        .waitFor()
      await requireClean(page, 'the time line')
    })

    it('ask again what one of them changed after the network failed', async () => {
      const one = '**/policy/revisions/1'
      let failed = 0
      await page.route(one, (route) => {
        failed += 1
        return route.abort()
      })
      await page.reload()
      // the client itself tries three times
      await soon(async () => failed > 3)
      await item(1).getByText('Loading').waitFor()
      await page.unroute(one)
      await item(1)
        .getByText(/^\d+ decisions: /)
        .waitFor()
    })

    it('make no markup of a reason', async () => {
      await item((await latest()) - 1)
        .getByRole('button', { name: HOSTILE })
        .click()
      await page
        .getByRole('region', { name: /^Revision / })
        .getByText(HOSTILE)
        .waitFor()
      expect(await page.locator('img[src=x]').count()).to.equal(0)
      expect(await page.title()).to.equal('Revisions · Linkgate')
    })

    it('show what one of them changed, in rows and in decisions', async () => {
      const card = page.getByRole('region', { name: /^Revision / })
      await card.getByRole('row', { name: /^editor link:update own/ }).waitFor()
      await card.getByText('Editors may not change any link').waitFor()
      await requireClean(page, 'a revision')
    })

    it('are compared, any two of them, in either direction', async () => {
      const revision = await latest()
      await item(2).getByRole('checkbox').check()
      await item(revision).getByRole('checkbox').check()
      const card = page.getByRole('region', { name: `2 → ${revision}` })
      await card.getByRole('row', { name: /^editor link:update own.* allow R5.* deny FREEZE/ }).waitFor()
      await requireClean(page, 'two revisions')
      await leavesNothing(
        '/policy/comparison',
        () => card.getByRole('button', { name: 'Swap' }).press('Enter'),
        '.decisions',
      )
      expect(await page.locator(':focus').innerText(), 'the focus stays').to.equal('Swap')
      await page
        .getByRole('region', { name: `${revision} → 2` })
        .getByRole('row', { name: /^editor link:update own.* deny FREEZE.* allow R5/ })
        .waitFor()
      await page.waitForURL((url) => url.search.includes(`compare=${revision}%2C2`))
    })

    it('are found by a day', async () => {
      await page.getByLabel('What was in force on that day?').fill('2001-01-01T12:00')
      await page.getByRole('button', { name: 'Find the revision' }).click()
      await shown(page, /there was no revision yet/)
      await page.getByLabel('What was in force on that day?').fill('2999-01-01T12:00')
      await page.getByRole('button', { name: 'Find the revision' }).click()
      await shown(page, new RegExp(`is still to come. Now revision ${await latest()} is in force: `))
      const later = await page.context().newPage()
      await later.clock.setFixedTime('2999-06-01T12:00')
      await later.goto(new URL('/console/revisions', page.url()).href)
      await later.getByLabel('What was in force on that day?').fill('2999-01-01T12:00')
      await later.getByRole('button', { name: 'Find the revision' }).click()
      await shown(later, new RegExp(`, revision ${await latest()} was in force: `))
      await later.close()
    })

    it('are restored through a preview, which is made again where somebody else was faster', async () => {
      const revision = await latest()
      await item(2).getByRole('button', { name: 'Restore revision 2' }).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByRole('row', { name: /^editor link:update own.* deny FREEZE.* allow R5/ }).waitFor()
      await requireClean(page, 'a preview')
      await dialog.getByLabel('Reason, for the record').fill('The freeze is over')
      const other = { ptype: 'p2', role: 'clerk', action: 'link:update' }
      await editPolicy(service, admin.token, { add: [other] })
      await dialog.getByRole('button', { name: `Apply as revision ${revision + 1}` }).click()
      await dialog.getByRole('alert').waitFor()
      expect(await dialog.getByLabel('Reason, for the record').inputValue()).to.equal('The freeze is over')
      await dialog.getByRole('button', { name: 'Try again' }).press('Enter')
      await dialog.locator('textarea:focus').waitFor()
      await dialog.getByRole('button', { name: `Apply as revision ${revision + 2}` }).click()
      await shown(page, `Revision ${revision + 2} is in force.`)
      await item(revision + 2)
        .getByText('The freeze is over')
        .waitFor()
      const { json } = await service.request('GET', '/policy', { token: admin.token })
      expect(JSON.stringify(json)).to.not.contain('FREEZE')
    })

    it('are restored where comments alone have changed since, and say which', async () => {
      const row = { ptype: 'p2', role: 'clerk', action: 'link:update', comment: 'For the summer' }
      const revision = (await editPolicy(service, admin.token, { add: [row] })) - 1
      await item(revision)
        .getByRole('button', { name: `Restore revision ${revision}` })
        .click()
      const dialog = page.getByRole('dialog')
      await dialog.getByText('For the summer').waitFor()
      await dialog.getByRole('button', { name: `Apply as revision ${revision + 2}` }).click()
      await shown(page, `Revision ${revision + 2} is in force.`)
    })
  })

  describe('explain', () => {
    const HOSTILE = `<img src=x onerror="document.title='ran'">`
    const code = freshCode('explained')
    let editor: TestUser
    const rungs = () => page.locator('.ladder > li')
    const states = async () => (await rungs().locator('.state').allInnerTexts()).map((text) => text.replace(/^\W+/, ''))
    before(async () => {
      editor = await service.addUser('editor')
      await service.db.asOwner('update users set name = $2 where id = $1', [editor.id, HOSTILE])
      await addLink(service.db, { code, owner: admin.id, target: 'https://example.com/explained' })
    })

    it('asks by an address, an action and a code, and shows the four layers up to the one that stops', async () => {
      await go(page, '/explain', 'Explain')
      await requireClean(page, 'the question')
      const asked = page.waitForRequest((request) => new URL(request.url()).searchParams.get('q') === editor.email)
      await page.getByLabel('Who', { exact: true }).fill(editor.email)
      await asked
      await page.getByLabel('wants to').selectOption('link:delete')
      await page.getByLabel('which link').fill(code)
      await page.getByRole('button', { name: 'Explain', exact: true }).click()
      await page.getByRole('heading', { name: 'Denied at the third of four layers' }).waitFor()
      expect(await states()).to.deep.equal(['not asked here', 'passes', 'stops here', 'not reached'])
      await rungs().nth(2).getByText('p, 540, R5, user, link:delete, any, deny').waitFor()
      await page.getByText('Everybody with the role admin').waitFor()
      await requireClean(page, 'an answer')
    })

    it('makes no markup of a name', async () => {
      await page.getByText(`${HOSTILE} would get 403 policy_denied, rule R5.`).waitFor()
      expect(await page.locator('img[src=x]').count()).to.equal(0)
      expect(await page.title()).to.equal('Explain · Linkgate')
    })

    it('keeps the question in its address, which leads to the same answer', async () => {
      await page.waitForURL((url) => url.search.includes(`user=${editor.id}&action=link%3Adelete&link=${code}`))
      await page.reload()
      await page.getByRole('heading', { name: 'Denied at the third of four layers' }).waitFor()
      await soon(async () => (await page.getByLabel('Who', { exact: true }).inputValue()) === editor.email)
      await page.getByText('At: now').click()
      await page.getByLabel('Revision', { exact: true }).fill('1')
      await page.getByRole('button', { name: 'Show', exact: true }).click()
      await page.locator('.card').getByText('Policy revision 1', { exact: true }).waitFor()
    })

    it('says of an address that nobody has it, and keeps what was typed', async () => {
      await go(page, '/explain', 'Explain')
      await page.getByLabel('Who', { exact: true }).fill('nobody@example.org')
      await page.getByRole('button', { name: 'Explain', exact: true }).click()
      await shown(page, 'Nobody has that address.')
      expect(await page.getByLabel('Who', { exact: true }).inputValue()).to.equal('nobody@example.org')
    })

    it('says of a number that nobody has it, and of a code that no link has it', async () => {
      await go(page, '/explain?user=4611686018427387904&action=link:read', 'Explain')
      await shown(page, 'Nobody here has that number.')
      await go(page, `/explain?user=${editor.id}&action=link:read&link=${freshCode('none')}`, 'Explain')
      await shown(page, 'There is no link with this code.')
    })

    it('asks about a role, which an endpoint may stop before any row is asked', async () => {
      await page.getByText('A role', { exact: true }).click()
      await page.getByLabel('Role', { exact: true }).selectOption('viewer')
      await page.getByLabel('wants to').selectOption('link:transfer')
      await page.getByRole('button', { name: 'Explain', exact: true }).click()
      await page.getByRole('heading', { name: 'Denied at the second of four layers' }).waitFor()
      expect(await states()).to.deep.equal(['not asked here', 'stops here', 'not reached', 'not reached'])
      expect(await page.locator(':focus').innerText(), 'the focus stays').to.equal('Explain')
      expect(await page.getByRole('status').getByRole('heading', { level: 2 }).count(), 'it is read out').to.equal(1)
      await page.goBack()
      await page.getByLabel('Who', { exact: true }).waitFor()
      await page.goForward()
      await page.getByLabel('Role', { exact: true }).and(page.locator('select')).waitFor()
    })

    it('asks whose record it is of no anonymous caller, who owns none', async () => {
      const whose = page.getByLabel('whose record')
      const role = page.getByLabel('Role', { exact: true })
      await whose.selectOption('own')
      await role.selectOption('anonymous')
      expect(await whose.count()).to.equal(0)
      await page.getByRole('button', { name: 'Explain', exact: true }).click()
      await page.waitForURL(/role=anonymous.*relation=anonymous/)
      await page.getByRole('heading', { name: 'Denied at the second of four layers' }).waitFor()
      await role.selectOption('viewer')
      expect(await whose.inputValue()).to.equal('other')
    })

    it('shows no answer to another question while it loads', async () => {
      const explain = page.getByRole('button', { name: 'Explain', exact: true })
      await leavesNothing('/policy/explanation', () => explain.click(), '.ladder')
    })

    it('gives the focus back to what was asked with, once an answer that failed is there', async () => {
      const body = JSON.stringify({ title: 'Away', status: 503, code: 'deadline_exceeded' })
      const answer = { status: 503, contentType: 'application/problem+json', body }
      await page.route('**/policy/explanation*', (route) => route.fulfill(answer))
      await go(page, '/explain?role=editor&action=link:read&relation=own', 'Explain')
      await page.getByLabel('wants to').selectOption('link:update')
      await page.getByRole('button', { name: 'Explain', exact: true }).press('Enter')
      await page.waitForURL((url) => url.search.includes('link%3Aupdate'))
      await page.getByText('That took too long.').waitFor()
      await page.unroute('**/policy/explanation*')
      await page.getByRole('button', { name: 'Try again' }).press('Enter')
      await page.locator('.ladder').waitFor()
      await soon(async () => (await page.evaluate('document.activeElement.textContent')) === 'Explain')
    })

    it('explains a refused request by its id, also one that a row could not decide', async () => {
      const refused = await service.request('DELETE', `/links/${code}`, { token: editor.token })
      const scoped = await service.tokenFor(editor, 'link:read')
      const unscoped = await service.request('DELETE', `/links/${code}`, { token: scoped })
      const idOf = (answer: typeof refused) => textAt(answer.json, 'request_id')
      await until('the log has both', async () => {
        const [one, other] = await Promise.all(
          [refused, unscoped].map((answer) =>
            service.request('GET', `/audit/requests/${idOf(answer)}`, { token: admin.token }),
          ),
        )
        return one?.status === 200 && other?.status === 200
      })
      await page.getByRole('link', { name: 'A request by its id' }).click()
      await page.getByLabel('Request id').fill(idOf(refused))
      await page.getByRole('button', { name: 'Explain', exact: true }).click()
      await page.getByRole('heading', { name: 'Denied at the third of four layers' }).waitFor()
      expect(await states()).to.deep.equal(['passes', 'passes', 'stops here', 'not reached'])
      await rungs().nth(2).getByText('decides').waitFor()
      await requireClean(page, 'a request')
      await go(page, `/explain?request=${idOf(unscoped)}`, 'Explain')
      await page.getByRole('heading', { name: 'Denied at the first of four layers' }).waitFor()
      await rungs().first().getByText('the token lacks the scope link:delete').waitFor()
      await go(page, '/explain?request=there-is-none', 'Explain')
      await shown(page, 'No decision is recorded under this id.')
    })

    it('takes the longest id that a request may have', async () => {
      const id = 'caller-'.padEnd(200, 'x')
      await go(page, '/explain?request=', 'Explain')
      await page.getByLabel('Request id').focus()
      await page.keyboard.insertText(id)
      expect(await page.getByLabel('Request id').inputValue()).to.equal(id)
    })
  })

  describe('model.conf', () => {
    it('stands there, each definition with what it means', async () => {
      await go(page, '/model', 'model.conf')
      const { text } = await service.request('GET', '/policy/model', { token: admin.token })
      const shownText = await page.locator('.model').innerText()
      for (const [, key, value] of text.matchAll(/^(\w+)\s*= (.*)$/gm))
        expect(shownText).to.contain(`${key} = ${value}`)
      await shown(page, 'One endpoint row that matches is enough.')
      await requireClean(page, 'model.conf')
    })

    it('is walked by a question, row by row and step by step, to the row that decides', async () => {
      await page.getByLabel('Role', { exact: true }).selectOption('viewer')
      await page.getByLabel('whose record').selectOption('own')
      await page.getByRole('button', { name: 'Walk it' }).click()
      await page.waitForURL(/role=viewer/)
      const rows = page.locator('.walk').last().locator('> li')
      await rows.last().getByText('p, 530, R5, user, link:delete, own, allow').waitFor()
      await rows.last().getByText('"7" == "7"').waitFor()
      expect(await page.locator(':focus').innerText(), 'the focus stays').to.equal('Walk it')
      await rows.first().locator('summary').click()
      await rows.first().getByText('"link:read" == "link:delete"').waitFor()
      await requireClean(page, 'a walk')
    })
  })

  it('are there in German', async () => {
    await page.evaluate(`localStorage.setItem('language', 'de')`)
    for (const [path, heading] of [
      ['/access', 'Wer darf was'],
      ['/revisions?compare=1,2', 'Fassungen'],
      ['/explain?role=editor&action=link:delete', 'Erklären'],
      ['/model', 'model.conf'],
    ] as const) {
      await go(page, path, heading)
      await page.locator('.matrix, .decisions, .ladder, .walk').first().waitFor()
      await requireClean(page, `${path} in German`)
    }
    await page.evaluate(`localStorage.removeItem('language')`)
  })

  describe('for a role that may read the policy alone', () => {
    it('everything is shown, and what it may not do is off and says so', async () => {
      const { page: its } = await openSignedIn(service, auditor)
      await its.getByRole('link', { name: 'Access', exact: true }).click()
      await its.getByRole('grid', { name: 'Access' }).waitFor()
      await its.getByRole('link', { name: 'Revisions', exact: true }).click()
      const restore = its.getByRole('button', { name: 'Restore revision 1', exact: true })
      await restore.waitFor()
      expect(await restore.getAttribute('aria-disabled')).to.equal('true')
      const reason = await restore.getAttribute('aria-describedby')
      expect(await its.locator(`[id="${reason}"]`).textContent()).to.equal('your role may not')
      await restore.focus()
      await its.keyboard.press('Enter')
      expect(await its.getByRole('dialog').count()).to.equal(0)
      await its.getByRole('link', { name: 'Explain', exact: true }).click()
      await its.getByText('About people and their links: your role may not.').waitFor()
      await its.getByLabel('Role', { exact: true }).selectOption('editor')
      await its.getByRole('button', { name: 'Explain', exact: true }).click()
      await its.getByRole('heading', { name: 'Denied at the third of four layers' }).waitFor()
      await its.getByRole('link', { name: 'A request by its id' }).click()
      await its.getByText('your role may not').waitFor()
    })
  })

  it('leave who may read the log alone the explanation of requests', async () => {
    const reader = [
      {
        ptype: 'p',
        priority: 820,
        rule: 'LOG',
        role: 'log-reader',
        action: 'audit:read',
        reach: 'any',
        effect: 'allow',
      },
      { ptype: 'p2', role: 'log-reader', action: 'audit:read' },
    ]
    await editPolicy(service, admin.token, { add: reader })
    const user = await addAccount(service, 'log-reader')
    const { headers } = await service.request('GET', '/users', { token: user.token })
    const id = headers.get('x-request-id') ?? ''
    const isLogged = async () =>
      (await service.request('GET', `/audit/requests/${id}`, { token: admin.token })).status === 200
    await until('the log has it', isLogged)
    const { page: its } = await openSignedIn(service, user)
    await its.getByRole('link', { name: 'Explain', exact: true }).click()
    expect(await its.getByRole('link', { name: 'Access', exact: true }).count()).to.equal(0)
    await its.getByLabel('Request id').fill(id)
    await its.getByRole('button', { name: 'Explain', exact: true }).click()
    await its.getByRole('heading', { name: 'Denied at the second of four layers' }).waitFor()
  })

  it('are in nobody’s navigation who may not read the policy, and say so to who comes by address', async () => {
    const editor = await addAccount(service, 'editor')
    const { page: its } = await openSignedIn(service, editor)
    expect(await its.getByRole('link', { name: 'Access', exact: true }).count()).to.equal(0)
    for (const path of ['/access', '/revisions', '/explain?role=editor&action=link:delete', '/model']) {
      await its.goto(`${service.baseUrl}/console${path}`)
      await its.getByText('Your role may not do that.').first().waitFor()
    }
  })
})
