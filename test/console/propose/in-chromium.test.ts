import { expect } from 'chai'
import type { Page } from 'playwright-core'

import { deferred } from '../../../src/domain/deferred.js'
import { addAccount } from '../../support/account.js'
import {
  describeConsole,
  go,
  openConsole,
  openSignedIn,
  refuseProfile,
  requireClean,
  shown,
  signIn,
  soon,
} from '../../support/console.js'
import { addRows, editPolicy, rowsFor } from '../../support/edit-policy.js'
import { at, listAt } from '../../support/json.js'
import { addLink, freshCode } from '../../support/records.js'
import { startTestService, type TestService, type TestUser } from '../../support/service.js'
import { until } from '../../support/until.js'

describeConsole('an edit of the policy in a browser', () => {
  let service: TestService
  let admin: TestUser
  let editor: TestUser
  let page: Page

  before(async () => {
    service = await startTestService()
    admin = await addAccount(service, 'admin')
    editor = await service.addUser('editor')
    const [own, theirs] = [freshCode('own'), freshCode('theirs')]
    await addLink(service.db, { code: own, owner: editor.id })
    await addLink(service.db, { code: theirs, owner: admin.id })
    for (const code of [own, theirs]) await service.request('DELETE', `/links/${code}`, { token: editor.token })
    ;({ page } = await openSignedIn(service, admin))
    await until('both decisions are recorded', async () => {
      const found = await service.db.asOwner(`select from decisions where action = 'link:delete'`)
      return found.length >= 2
    })
  })
  after(() => service.stop())

  const headline = (text: RegExp) =>
    until('it is counted', async () => text.test(await page.locator('.headline').innerText()))
  const open = async (hash = '') => {
    await page.goto(`${service.baseUrl}/console/policy${hash}`)
    await page.getByRole('heading', { level: 1, name: 'Propose an edit' }).waitFor()
  }
  const begin = async () => {
    await page.goto(`${service.baseUrl}/console`)
    await page.evaluate('localStorage.clear()')
    await open()
    await shown(page, 'No decision changes.')
  }
  const revision = () => service.policy.current().revision
  const row = (words: string) => page.getByRole('button', { name: new RegExp(`^Edit: ${words}`) })
  const apply = () => page.getByRole('button', { name: /^Apply as revision/ })
  const reason = () => page.getByRole('textbox', { name: 'Reason, for the record' })
  const addFreeze = async (effect: 'allow' | 'deny', rule = 'FREEZE') => {
    await page.getByRole('button', { name: 'Add a row' }).click()
    await page.getByLabel('Priority', { exact: true }).fill('525')
    await page.getByLabel('Rule', { exact: true }).fill(rule)
    await page.getByLabel('Action', { exact: true }).selectOption('link:delete')
    await page.getByRole('radio', { name: new RegExp(effect) }).check({ force: true })
  }

  it('is refused by an invariant beside its row, and says which file only the operator can change', async () => {
    await begin()
    await requireClean(page, 'nothing changed yet')
    await addFreeze('allow', 'MOD')
    await shown(page, "Refused: no role but admin deletes another's link")
    await shown(page, /stands in policies\/invariants\.csv/)
    await headline(/^Over the last 24 hours [1-9]\d* of \d+ decisions would/)
    await shown(page, /1 from deny to allow/)
    await reason().fill('editors moderate')
    await shown(page, 'Off: 1 invariant refuses this edit')
    await requireClean(page, 'an edit that is refused')
    await apply().click({ force: true })
    expect(revision()).to.equal(1)
    // the operator may have changed that file meanwhile
    const asked = page.waitForRequest('**/policy/previews')
    await page.evaluate(`dispatchEvent(new Event('focus'))`)
    await asked
  })

  it('that denies something to admins alone is one that its maker could not undo', async () => {
    await begin()
    await addFreeze('deny', 'OUT')
    await page.getByLabel('Priority', { exact: true }).fill('50')
    await page.getByLabel('Role', { exact: true }).selectOption('admin')
    await shown(page, 'You could not undo this edit.')
    await requireClean(page, 'an edit that cannot be undone')
    await page.getByLabel('Role', { exact: true }).selectOption('editor')
    await page.getByText('You could not undo this edit.').waitFor({ state: 'detached' })
  })

  it('whose replay would take too long is offered a shorter one', async () => {
    await begin()
    const tooLong = { title: 'Unprocessable', status: 422, code: 'validation_failed', detail: '' }
    const errors = [{ field: 'replay', message: '24h holds more decisions than one request can read' }]
    await page.route(/replay=24h/, (route) => route.fulfill({ status: 422, json: { ...tooLong, errors } }))
    await addFreeze('deny')
    await shown(page, 'Too many decisions were recorded in that time to count them in one go.')
    await page.getByRole('button', { name: 'Count 1 hour instead' }).click()
    await headline(/^Over the last hour /)
    await page.unroute(/replay=24h/)
  })

  it('keeps the focus where its replay is stopped, goes on and ends', async () => {
    await begin()
    const isFocused = (text: RegExp) =>
      soon(async () => text.test(String(await page.evaluate('document.activeElement?.textContent'))))
    const isStopped = deferred()
    const goesOn = deferred()
    await page.route(/replay=/, (route) => isStopped.promise.then(() => route.abort()), { times: 1 })
    await addFreeze('deny')
    await page.getByRole('button', { name: 'Stop' }).press('Enter')
    await isFocused(/^Count again$/)
    isStopped.resolve()
    await page.route(/replay=/, (route) => goesOn.promise.then(() => route.continue()), { times: 1 })
    await page.keyboard.press('Enter')
    await isFocused(/^Stop$/)
    goesOn.resolve()
    await isFocused(/^Over the last 24 hours /)
  })

  it('shows what it changes and would have done, survives a reload, and is applied under its revision', async () => {
    await begin()
    await addFreeze('deny')
    await page.getByLabel('Comment, kept with the row').fill('Until the audit closes\n<img src=x onerror=alert(1)>')
    await page.locator('.badge', { hasText: '2 decisions' }).waitFor()
    await shown(page, 'One question gets another answer')
    await headline(/^Over the last 24 hours [1-9]\d* of \d+ decisions would/)
    await page.getByRole('button', { name: 'Done' }).click()
    await page.reload()
    await row('Editors may not delete any link').waitFor()
    await page.locator('.badge', { hasText: '2 decisions' }).waitFor()
    await page.getByText('7 days').click()
    await headline(/^Over the last 7 days [1-9]\d* of \d+ decisions would/)
    await shown(page, 'say why, for the record')
    await reason().fill('No deletes while the <b>audit</b> runs')
    await requireClean(page, 'an edit that is ready')
    await reason().focus()
    await page.keyboard.press('Control+Enter')
    await until('the revision is in force', async () => revision() === 2)
    const { json } = await service.request('GET', '/policy/revisions/2', { token: admin.token })
    expect(at(json, 'reason')).to.equal('No deletes while the <b>audit</b> runs')
    expect(at(json, 'comments', 0, 'after')).to.equal('Until the audit closes\n<img src=x onerror=alert(1)>')
    await shown(page, 'Against revision 2, in force.')
    await shown(page, 'Revision 2 is in force. Revisions can take it back.')
    const made = page.getByRole('link', { name: 'See what it changed' })
    expect(await made.getAttribute('href')).to.equal('/console/revisions?revision=2')
    expect(await page.locator('img[src=x]').count()).to.equal(0)
    await shown(page, 'No decision changes.')
  })

  it('goes by keys alone: a row is opened, moved, duplicated, removed and taken back', async () => {
    await begin()
    await row('Editors may not delete any link').focus()
    await page.keyboard.press('Alt+ArrowUp')
    await shown(page, 'changed')
    await page.keyboard.press('d')
    await page.getByLabel('Priority', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Done' }).press('Enter')
    await page.locator('.draft-row.new').waitFor()
    await page.keyboard.press('Delete')
    await soon(async () => (await page.locator('.draft-row.new').count()) === 0)
    expect(await page.locator('.draft-rows :focus').count(), 'the row after it has the focus').to.equal(1)
    await row('Everybody who is signed in may create links').focus()
    await page.keyboard.press('Delete')
    await shown(page, 'removed')
    await shown(page, 'R6')
    await page.getByRole('button', { name: 'Undo: p, 400, R4' }).press('Enter')
    await row('Editors may not delete any link').first().focus()
    await page.keyboard.press('Alt+ArrowDown')
    expect(revision()).to.equal(2)
  })

  it('gives the focus to the field in which another name is typed', async () => {
    await begin()
    await page.getByRole('button', { name: 'Add a row' }).click()
    await page.getByLabel('Role', { exact: true }).first().selectOption('another role …')
    await page.locator('.draft-row.open input:focus').waitFor()
    await page.keyboard.type('intern')
    expect(await page.getByLabel('Role', { exact: true }).first().inputValue()).to.equal('intern')
  })

  it('says of a file that the browser cannot open that it is no draft', async () => {
    await begin()
    await page.evaluate(`Blob.prototype.text = () => Promise.reject(new DOMException('gone', 'NotReadableError'))`)
    await page
      .locator('input[type=file]')
      .setInputFiles({ name: 'gone.json', mimeType: 'text/json', buffer: Buffer.of() })
    await shown(page, 'That file is no draft')
  })

  it('goes on where the browser has no room for the draft, and does not say that it was kept', async () => {
    await begin()
    await reason().fill('kept')
    await shown(page, /Draft kept on this device/)
    await page.evaluate(`Storage.prototype.setItem = () => { throw new DOMException('full', 'QuotaExceededError') }`)
    await reason().fill('not kept')
    await soon(async () => (await page.getByText(/Draft kept/).count()) === 0)
    expect(await reason().inputValue()).to.equal('not kept')
  })

  it('counts as turned what an endpoint row keeps out, though the object rows still allow it', async () => {
    await begin()
    await page.getByRole('radio', { name: /^Endpoint rows/ }).check({ force: true })
    await page
      .getByRole('button', { name: /^Edit:/ })
      .filter({ hasText: 'p2, user, link:update' })
      .focus()
    await page.keyboard.press('Delete')
    await page
      .getByRole('region', { name: 'What changes' })
      .getByText(/[1-9]\d* from allow to deny/)
      .waitFor()
  })

  it('keeps the draft of each tab where another tab of the same admin was faster', async () => {
    await begin()
    const other = await page.context().newPage()
    await other.goto(page.url())
    await shown(other, 'No decision changes.')
    await row('Everybody who is signed in may create links').click()
    await page.getByRole('button', { name: 'Remove', exact: true }).click()
    await reason().fill('written in this tab')
    const next = revision() + 1
    await other.getByRole('button', { name: /^Edit: Admins may do everything/ }).click()
    await other.getByLabel('Comment, kept with the row').fill('written in another tab')
    await other.getByRole('textbox', { name: 'Reason, for the record' }).fill('said in another tab')
    await other.getByRole('button', { name: `Apply as revision ${next}` }).click()
    await shown(other, `Revision ${next} is in force.`)
    await page.getByRole('button', { name: 'Make my edit on the new rows' }).click()
    await shown(page, `Against revision ${next}, in force.`)
    expect(await reason().inputValue()).to.equal('written in this tab')
    await shown(page, 'removed')
    await other.close()
    await page.reload()
    await shown(page, 'removed')
    expect(await reason().inputValue(), 'after a reload').to.equal('written in this tab')
  })

  it('keeps the draft where somebody else was faster, shows both, and makes it again on the new rows', async () => {
    await begin()
    await row('Everybody who is signed in may create links').click()
    await page.getByRole('button', { name: 'Remove', exact: true }).click()
    await reason().fill('nobody creates links this week')
    await addRows(service, admin.token, rowsFor('auditor', 830, 'policy:read'))
    const by = `${admin.email} applied revision ${revision()} while you edited. Your draft is kept.`
    const note = page.locator('.note', { hasText: by })
    await shown(page, 'p, 830, TEST, auditor, policy:read, any, allow')
    await shown(page, 'somebody else was faster: see both edits first')
    const isAtBoth = () => page.getByRole('group', { name: 'Both edits' }).evaluate((both) => both.matches(':focus'))
    for (const place of [note, page.getByRole('region', { name: 'Put it in force' })]) {
      await reason().focus()
      await place.getByRole('button', { name: 'See both' }).press('Enter')
      await soon(isAtBoth)
    }
    await requireClean(page, 'two edits at once')
    const apply = page.getByRole('button', { name: /^Apply as revision/ })
    const ground = () => apply.evaluate((button) => button.computedStyleMap().get('background-color')?.toString())
    const unhovered = await ground()
    await apply.hover({ force: true })
    expect(await ground(), 'a button that is off, under the pointer').to.equal(unhovered)
    await page.getByRole('button', { name: 'Make my edit on the new rows' }).press('Enter')
    await page.locator('h1:focus').waitFor()
    await shown(page, /^Against revision \d+, in force\./)
    await shown(page, 'removed')
    expect(await reason().inputValue()).to.equal('nobody creates links this week')
    await editPolicy(service, admin.token, {
      remove: [
        { ptype: 'p', priority: 400, rule: 'R4', role: 'user', action: 'link:create', reach: 'any', effect: 'allow' },
      ],
    })
    await shown(page, `applied revision ${revision()} while you edited.`)
    await page.getByRole('button', { name: 'Make my edit on the new rows' }).click()
    await shown(page, '1 row of your edit is not there any more')
  })

  it('is sent as a link, which holds the draft and reaches no server', async () => {
    await begin()
    await row('Admins may do everything').click()
    await page.getByLabel('Comment, kept with the row').fill('the second pair of hands')
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await page.getByRole('button', { name: 'Copy a link to it' }).click()
    await shown(page, 'The link is copied.')
    const address = String(await page.evaluate('navigator.clipboard.readText()'))
    await begin()
    const asked = new Set<string>()
    page.on('request', (request) => void asked.add(request.url()))
    await open(new URL(address).hash)
    await shown(page, /^This draft came with the link/)
    await row('Admins may do everything').click()
    expect(await page.getByLabel('Comment, kept with the row').inputValue()).to.equal('the second pair of hands')
    expect([...asked].filter((url) => url.includes('draft='))).to.deep.equal([])

    // one's own draft goes only if its author says so
    const { hash } = new URL(address)
    const question = page.getByRole('dialog', { name: 'Replace your own draft?' })
    await begin()
    await reason().fill('my own work')
    await shown(page, /Draft kept on this device/)
    await page.goto(`${service.baseUrl}/console`)
    await open(hash)
    await question.waitFor()
    await requireClean(page, 'a question before a draft is replaced')
    await page.reload()
    await shown(page, /Draft kept on this device/)
    expect(await reason().inputValue(), 'after a reload instead of an answer').to.equal('my own work')
    await open(hash)
    await question.getByRole('button', { name: 'Keep mine' }).click()
    expect(await reason().inputValue()).to.equal('my own work')
    await page.getByLabel('Open a file').setInputFiles({
      name: 'policy-draft.json',
      mimeType: 'application/json',
      buffer: Buffer.from(Buffer.from(hash.slice('#draft='.length), 'base64url').toString()),
    })
    await question.getByRole('button', { name: 'Keep mine' }).click()
    expect(await reason().inputValue()).to.equal('my own work')
    await open(hash)
    await question.getByRole('button', { name: 'Replace it' }).click()
    await shown(page, /^This draft came with the link/)
    expect(await reason().inputValue()).to.equal('')
    await open(hash)
    await shown(page, /^This draft came with the link/)
    expect(await question.count(), 'the same draft again').to.equal(0)
    await open('#draft=nonsense')
    await page.getByRole('heading', { level: 1 }).waitFor()
  })

  it('is kept for its author alone, whoever signs in next in the same browser', async () => {
    const other = await addAccount(service, 'admin')
    const { page: tab } = await openSignedIn(service, admin)
    const typed = tab.getByRole('textbox', { name: 'Reason, for the record' })
    const openDraft = async () => {
      await go(tab, '/policy', 'Propose an edit')
      await shown(tab, 'No decision changes.')
    }
    const changeUser = async (user: TestUser) => {
      await tab.getByRole('button', { name: 'Sign out' }).click()
      await tab.getByRole('heading', { name: 'Sign in to Linkgate' }).waitFor()
      await tab.goto(`${service.baseUrl}/console`)
      await signIn(tab, user)
      await openDraft()
    }
    await openDraft()
    await typed.fill('by the first')
    await shown(tab, /Draft kept on this device/)
    await changeUser(other)
    expect(await typed.inputValue()).to.equal('')
    await typed.fill('by the second')
    await shown(tab, /Draft kept on this device/)
    await changeUser(admin)
    expect(await typed.inputValue()).to.equal('by the first')
  })

  it('is not for whoever may only read the policy: every control is there, off, and says why', async () => {
    const reader = await addAccount(service, 'auditor')
    await addRows(service, admin.token, [
      { ptype: 'p2', role: 'auditor', action: 'profile:read' },
      ...rowsFor('auditor', 850, 'policy:evaluate'),
    ])
    const theirs = await openConsole(service)
    const other = await theirs.open('/console/policy')
    await signIn(other, reader, 'Propose an edit')
    const add = other.getByRole('button', { name: 'Add a row' })
    await until('it is off', async () => (await add.getAttribute('aria-disabled')) === 'true')
    expect(await add.getAttribute('aria-describedby')).to.not.equal(null)
    await requireClean(other, 'for readers')
    const before = listAt((await service.request('GET', '/policy', { token: admin.token })).json, 'rows').length
    await other.getByRole('button', { name: /^Edit: Admins/ }).click()
    expect(await other.getByLabel('Priority', { exact: true }).isDisabled()).to.equal(true)
    expect(listAt((await service.request('GET', '/policy', { token: admin.token })).json, 'rows')).to.have.length(
      before,
    )
  })

  it('unfolds rows that are far from the edit, the first of which gets the focus', async () => {
    const many = Array.from({ length: 40 }, (_, i) => rowsFor('editor', 2_000 + i, 'link:read')[0] ?? {})
    await addRows(service, admin.token, many)
    await begin()
    await page.getByRole('button', { name: /more, unchanged$/ }).press('Enter')
    await page.locator('.row-words:focus').waitFor()
  })

  it('takes no more changes while it is sent, which its answer would drop', async () => {
    await begin()
    await addFreeze('deny')
    await reason().fill('a freeze')
    await until('it can be applied', async () => (await apply().getAttribute('aria-disabled')) === null)
    const { promise: answered, resolve: answer } = deferred()
    await page.route('**/policy/changes', async (route) => {
      await answered
      await refuseProfile(route)
    })
    await apply().click()
    const off = () => page.getByRole('button', { name: 'Add a row' }).getAttribute('aria-disabled')
    await soon(async () => (await off()) === 'true')
    expect(await page.getByLabel('Priority', { exact: true }).isDisabled()).to.equal(true)
    answer()
    await soon(async () => (await off()) === null)
    await page.unroute('**/policy/changes')
  })

  it('leaves the focus on its button when that turns off', async () => {
    await begin()
    await addFreeze('deny')
    await reason().fill('a freeze')
    await until('it can be applied', async () => (await apply().getAttribute('aria-disabled')) === null)
    await apply().focus()
    await addRows(service, admin.token, rowsFor('latecomer', 840, 'policy:read'))
    await shown(page, 'somebody else was faster: see both edits first')
    expect(await apply().evaluate((button) => button.matches(':focus'))).to.equal(true)
  })
})
