import { expect } from 'chai'
import type { Page, Request } from 'playwright-core'

import { addAccount } from '../../support/account.js'
import { describeConsole, go, openSignedIn, requireClean, shown } from '../../support/console.js'
import { rowsFor } from '../../support/edit-policy.js'
import { at, textAt } from '../../support/json.js'
import { startTestService, type TestService, type TestUser } from '../../support/service.js'
import { until } from '../../support/until.js'

const HOSTILE = `"><img src=x onerror="document.title='ran'">`
const FREEZE = { ptype: 'p', priority: 525, rule: 'FREEZE', role: 'editor', action: 'link:delete' }
const CLERK = { ptype: 'p2', role: 'clerk', action: 'link:read' }

describeConsole('proposals in a browser', () => {
  let service: TestService
  /** the same installation, where edits take force at once */
  let plain: TestService
  let ada: TestUser
  let ben: TestUser
  let ofAda: Page
  let ofBen: Page

  before(async () => {
    service = await startTestService({ environment: { POLICY_APPROVALS: '1' } })
    plain = await startTestService({ db: service.db })
    ;[ada, ben] = [await addAccount(service, 'admin'), await addAccount(service, 'admin')]
    ;({ page: ofAda } = await openSignedIn(service, ada))
    ;({ page: ofBen } = await openSignedIn(service, ben))
  })
  after(async () => {
    await plain.stop()
    await service.stop()
  })

  const revision = async () => (await service.policy.refresh()).revision
  /** What somebody proposes beside the console. */
  const propose = async (by: TestUser, edit: object, reason = 'a test'): Promise<string> => {
    const answer = await service.request('POST', '/policy/changes', {
      token: by.token,
      headers: { 'If-Match': `"${await revision()}"` },
      json: { reason, ...edit },
    })
    expect(answer.status, answer.text).to.equal(202)
    return textAt(at(answer.json, 'proposal'), 'id')
  }
  /** An edit that takes force at once. */
  const edit = async (add: readonly object[]) => {
    // the service for proposals has a key of its own
    const token = await plain.tokenFor(ada)
    const answer = await plain.request('POST', '/policy/changes', {
      token,
      headers: { 'If-Match': `"${(await plain.policy.refresh()).revision}"` },
      json: { reason: 'meanwhile', add },
    })
    expect(answer.status, answer.text).to.equal(200)
  }
  const stateOf = async (id: string) =>
    at((await service.request('GET', `/policy/proposals/${id}`, { token: ada.token })).json, 'state')
  const open = (page: Page, id: string) => go(page, `/proposals/${id}`, `Proposal ${id}`)
  const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name })
  const isOff = (page: Page, name: string | RegExp, why: string) =>
    until(`${String(name)} is off`, async () => {
      const found = button(page, name)
      if ((await found.getAttribute('aria-disabled')) !== 'true') return false
      const reason = await found.getAttribute('aria-describedby')
      return (await page.locator(`[id="${reason}"]`).innerText()) === why
    })
  const reason = (page: Page) => page.getByRole('textbox', { name: 'Reason, for the record' })

  it('are made on the page of the policy, and wait where everybody who may read it sees them', async () => {
    await go(ofAda, '/policy', 'Propose an edit')
    await button(ofAda, 'Add a row').click()
    await ofAda.getByLabel('Priority', { exact: true }).fill('525')
    await ofAda.getByLabel('Rule', { exact: true }).fill('FREEZE')
    await ofAda.getByLabel('Action', { exact: true }).selectOption('link:delete')
    await ofAda.getByRole('radio', { name: /deny/ }).check({ force: true })
    await ofAda.getByLabel('Comment, kept with the row').fill(`Until the audit closes\n${HOSTILE}`)
    await reason(ofAda).fill(HOSTILE)
    await until('it can be proposed', async () => {
      const apply = button(ofAda, 'Propose this edit')
      return (await apply.getAttribute('aria-disabled')) === null
    })
    await reason(ofAda).press('Control+Enter')
    await ofAda.getByRole('link', { name: 'See the proposal' }).click()
    await ofAda.getByRole('heading', { level: 1, name: /^Proposal \d+$/ }).waitFor()
    await ofBen.reload()
    await ofBen.getByRole('link', { name: 'Proposals 1 open' }).click()
    await ofBen.getByRole('link', { name: HOSTILE }).waitFor()
    await requireClean(ofBen, 'the list')
    expect(await revision()).to.equal(1)
  })

  it('are not decided by their own maker, who is told so, and may withdraw them', async () => {
    await isOff(ofAda, /^Approve as revision/, 'it is yours: somebody else decides')
    await isOff(ofAda, 'Decline', 'it is yours: somebody else decides')
    await requireClean(ofAda, 'to its maker')
    const id = await propose(ada, { add: [CLERK] })
    await open(ofAda, id)
    await button(ofAda, 'Withdraw').press('Enter')
    await shown(ofAda, /^Withdrawn by /)
    expect(await stateOf(id)).to.equal('withdrawn')
  })

  it('show their rows as in the file, what they would change, and are declined with a reason', async () => {
    await go(ofBen, '/proposals', 'Proposals')
    await ofBen.getByRole('link', { name: HOSTILE }).click()
    await shown(ofBen, `# Until the audit closes\n# ${HOSTILE}`)
    await shown(ofBen, 'p, 525, FREEZE, editor, link:delete, any, deny')
    await shown(ofBen, 'Shown against revision 1, in force. Nothing changes until it is approved.')
    await ofBen.locator('.badge', { hasText: '2 decisions' }).waitFor()
    expect(await ofBen.locator('.matrix td.changed').count()).to.equal(2)
    await shown(ofBen, /^Over the last 24 hours /)
    expect(await ofBen.locator('img[src=x]').count()).to.equal(0)
    expect(await ofBen.title()).to.match(/^Proposal \d+ · Linkgate$/)
    await isOff(ofBen, 'Decline', 'say why, for the record')
    await requireClean(ofBen, 'a proposal')
    await reason(ofBen).fill(`Not while ${HOSTILE}`)
    await button(ofBen, 'Decline').press('Enter')
    await shown(ofBen, `: Not while ${HOSTILE}`)
    const focused = await ofBen.evaluate('document.activeElement.tagName')
    expect(focused, 'the card that had the focus is gone').to.equal('H1')
    await until('none waits', async () => (await ofBen.getByRole('link', { name: /Proposals \d+ open/ }).count()) === 0)
    await requireClean(ofBen, 'a declined proposal')
    expect(await revision()).to.equal(1)
    await ofBen.getByRole('link', { name: 'To all proposals' }).click()
    await shown(ofBen, 'Nothing waits for approval.')
    await ofBen.getByRole('combobox', { name: 'State' }).selectOption('declined')
    await ofBen.getByRole('link', { name: HOSTILE }).waitFor()
    await ofBen.getByText(`: Not while ${HOSTILE}`).waitFor()
  })

  it('are approved by keys alone, and lead to their revision', async () => {
    const id = await propose(ada, { add: [CLERK] }, 'clerks read')
    const next = (await revision()) + 1
    await open(ofBen, id)
    await reason(ofBen).focus()
    await ofBen.keyboard.type('as agreed')
    await until('it can be approved', async () => {
      const approve = button(ofBen, `Approve as revision ${next}`)
      return (await approve.count()) === 1 && (await approve.getAttribute('aria-disabled')) === null
    })
    await ofBen.keyboard.press('Control+Enter')
    await shown(ofBen, `Revision ${next} is in force.`)
    await shown(ofBen, /^Approved by .*: as agreed$/)
    expect([await revision(), await stateOf(id)]).to.deep.equal([next, 'applied'])
    await ofBen.getByRole('link', { name: `Revision ${next}` }).click()
    await ofBen
      .getByRole('region', { name: `Revision ${next}` })
      .getByText('clerks read')
      .waitFor()
  })

  it('are not approved by Ctrl+Enter on the button that declines', async () => {
    const id = await propose(ada, { add: [{ ...CLERK, action: 'link:create' }] })
    await open(ofBen, id)
    await reason(ofBen).fill('not now')
    await button(ofBen, 'Decline').press('Control+Enter')
    await button(ofBen, 'Decline').press('Enter')
    await shown(ofBen, /^Declined by .*: not now$/)
    expect(await stateOf(id)).to.equal('declined')
  })

  it('say which edit came between, and what stands in their way', async () => {
    const remove = { ...FREEZE, priority: 540, rule: 'R5', role: 'user', reach: 'any', effect: 'deny' }
    const id = await propose(ada, { remove: [remove] })
    await open(ofBen, id)
    await shown(ofBen, 'Shown against')
    const before = await revision()
    await edit(rowsFor('greeter', 910, 'user:invite'))
    await shown(ofBen, new RegExp(`^Made on revision ${before}, and shown against revision ${before + 1}`))
    await edit([{ ...CLERK, action: 'link:create' }])
    const twice = await propose(ada, { add: [{ ...CLERK, action: 'link:update' }] })
    await edit([{ ...CLERK, action: 'link:update' }])
    await open(ofBen, twice)
    await shown(ofBen, /^It cannot be approved as it is: The proposal does not fit the rows in force/)
    await isOff(ofBen, /^Approve as revision/, 'something stands in its way')
    await requireClean(ofBen, 'something in its way')
    await reason(ofBen).fill('it is there already')
    await button(ofBen, 'Decline').click()
    await shown(ofBen, /^Declined by /)
  })

  it('name the invariant that stands in their way, with its reason', async () => {
    const id = await propose(ada, { add: [{ ...CLERK, action: 'link:transfer' }] })
    await ofBen.route(`**/policy/proposals/${id}`, async (route) => {
      const response = await route.fetch()
      const decision = { role: 'clerk', action: 'link:transfer', relation: 'other', effect: 'allow', rule: 'R1' }
      const violation = { invariant: 'clerks', why: 'Clerks only look', file: 'a file', decision, row: null }
      const problem = { code: 'invariant_violated', title: 'It breaks one', detail: null, errors: [] }
      const against = { revision: await revision(), problem: { ...problem, violations: [violation] } }
      await route.fulfill({ response, json: { ...(await response.json()), against } })
    })
    await open(ofBen, id)
    await shown(ofBen, 'It cannot be approved as it is: It breaks one')
    await shown(ofBen, 'clerks: Clerks only look')
    await ofBen.unroute(`**/policy/proposals/${id}`)
  })

  it('that somebody else decided about meanwhile show by whom, and keep what was typed', async () => {
    const id = await propose(ada, { add: [{ ...CLERK, action: 'link:delete' }] })
    const cleo = await service.addUser('admin')
    let loads = 0
    const count = (request: Request) => {
      if (new URL(request.url()).pathname === `/policy/proposals/${id}`) loads += 1
    }
    ofBen.on('requestfinished', count).on('requestfailed', count)
    await open(ofBen, id)
    // it is loaded again as soon as the page hears which revision is in force, and must not be later in this test
    await until('it was loaded twice', () => loads === 2)
    ofBen.off('requestfinished', count).off('requestfailed', count)
    await reason(ofBen).fill('too late')
    const declined = await service.request('POST', `/policy/proposals/${id}/decline`, {
      token: cleo.token,
      json: { reason: 'I was faster' },
    })
    expect(declined.status).to.equal(200)
    await button(ofBen, 'Decline').click()
    await shown(ofBen, new RegExp(`^Declined by ${cleo.email}.*: I was faster$`))
    const kept = ofBen.getByRole('status').filter({ hasText: 'What you typed stays here, but is not in the record.' })
    await kept.getByText('too late', { exact: true }).waitFor()
    await kept.getByRole('button', { name: 'Copy' }).waitFor()
    await requireClean(ofBen, 'a proposal that somebody else decided')
  })

  it('that go beyond what the approver may are refused in words, and stay open', async () => {
    const id = await propose(ada, { add: [{ ...CLERK, action: 'user:read' }] })
    await open(ofBen, id)
    await ofBen.route('**/approve', (route) =>
      route.fulfill({
        status: 403,
        contentType: 'application/problem+json',
        json: { status: 403, code: 'beyond_own_rights', title: 'The edit goes beyond the rights of its maker' },
      }),
    )
    await reason(ofBen).fill('let us see')
    await button(ofBen, /^Approve as revision/).click()
    await ofBen
      .getByRole('alert')
      .getByText(/It gives or takes rights that you do not have yourself/)
      .waitFor()
    expect(await reason(ofBen).inputValue()).to.equal('let us see')
    await ofBen.unroute('**/approve')
    expect(await stateOf(id)).to.equal('open')
  })

  it('are seen by who may only read the policy, with every control off', async () => {
    const reader = await addAccount(service, 'reader')
    await edit(rowsFor('reader', 930, 'policy:read'))
    const id = await propose(ada, { add: [{ ...CLERK, action: 'profile:read' }] })
    const { page: other } = await openSignedIn(service, reader)
    await open(other, id)
    await isOff(other, /^Approve as revision/, 'your role may not')
    await isOff(other, 'Decline', 'your role may not')
    await requireClean(other, 'for readers')
  })

  it('are what a restore makes, whose button says so', async () => {
    await edit([{ ptype: 'p2', role: 'archivist', action: 'link:read' }])
    const before = await revision()
    await go(ofAda, '/revisions', 'Revisions')
    await button(ofAda, `Restore revision ${before - 1}`).click()
    await button(ofAda, 'Propose this edit').click()
    await shown(ofAda, 'It is proposed. Another admin has to approve it.')
    expect(await revision()).to.equal(before)
  })
})
