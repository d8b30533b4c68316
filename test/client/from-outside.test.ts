import { expect } from 'chai'

import { LinkgateProblem, createClient, type Client, type Tokens } from '../../src/client/client.js'
import { ManagedLinkView } from '../../src/routes/link-view.js'
import { allOf } from '../support/all-of.js'
import { startTestService, type TestService, type TestUser } from '../support/service.js'
import { until } from '../support/until.js'
import { AGENTS } from '../support/visitors.js'

const ADA = { email: 'ada@example.com', password: 'a password of hers' }

const problemOf = async (call: Promise<unknown>): Promise<LinkgateProblem> => {
  const error: unknown = await call.then(
    (answer) => expect.fail(`it answered ${JSON.stringify(answer)}`),
    (error: unknown) => error,
  )
  if (error instanceof LinkgateProblem) return error
  throw error
}

describe('the client against a service', () => {
  let service: TestService
  let admin: TestUser
  let asAdmin: Client
  let ada: Client
  const told: (Tokens | null)[] = []

  before(async () => {
    service = await startTestService({ environment: { TRASH_DAYS: '30' } })
    admin = await service.addUser('admin')
    asAdmin = createClient({ baseUrl: service.baseUrl, token: admin.token })
    const { url } = await asAdmin.inviteUser({ email: ADA.email, role: 'editor' })
    const anybody = createClient({ baseUrl: service.baseUrl })
    const token = new URL(url).pathname.split('/')[2] ?? ''
    expect((await anybody.showInvitation(token)).role).to.equal('editor')
    await anybody.acceptInvitation(token, { name: 'Ada', password: ADA.password })
    ada = createClient({ baseUrl: `${service.baseUrl}/`, onTokens: (tokens) => told.push(tokens) })
    await ada.signIn(ADA)
  })
  after(() => service.stop())

  it('makes, shows, lists, changes, deletes and restores a link', async () => {
    const made = await ada.createLink({ target: 'https://example.com/spring', code: 'spring', tags: ['2027'] })
    expect(Object.keys(made)).to.include.members(
      Object.keys(ManagedLinkView.shape).filter((name) => name !== 'deleted_at'),
    )
    expect(ada.headersOf(made)?.get('Location')).to.equal(`${service.baseUrl}/links/spring`)
    expect(await ada.getLink('spring')).to.deep.equal(made)
    await ada.createLink({ target: 'https://example.com/2' })
    await ada.createLink({ target: 'https://example.com/3' })
    const codes = (await allOf(ada.listLinks({ limit: 1, sort: 'created_at' }))).map(({ code }) => code)
    expect(codes).to.have.length(3)
    expect(codes[0]).to.equal('spring')
    expect((await ada.listLinks({ limit: 2 }).page()).next_cursor).to.be.a('string')
    expect((await ada.listTags()).data).to.deep.equal([{ tag: '2027', links: 1 }])

    const changed = await ada.updateLink('spring', { title: 'Spring' }, { ifMatch: made })
    expect(changed.title).to.equal('Spring')
    const stale = await problemOf(ada.updateLink('spring', { title: 'Summer' }, { ifMatch: made }))
    expect(stale).to.include({ status: 412, code: 'precondition_failed' })
    expect((await ada.getLink('spring')).title).to.equal('Spring')

    const [listed] = await allOf(ada.listLinks({ q: 'spring' }))
    expect(listed?.etag).to.equal(changed.etag)
    expect(await problemOf(ada.deleteLink('spring', { ifMatch: made }))).to.include({ status: 412 })
    await ada.deleteLink('spring', { ifMatch: listed })
    expect(await problemOf(ada.getLink('spring'))).to.include({ status: 404, code: 'not_found' })
    const [deleted] = await allOf(ada.listLinks({ state: 'deleted' }))
    expect(deleted?.id).to.equal(made.id)
    expect((await ada.restoreLink(made.id, { code: 'autumn' })).code).to.equal('autumn')
    expect(await problemOf(ada.restoreLink(made.id))).to.include({ status: 404, code: 'not_found' })
  })

  it('is refused by each layer, and told why', async () => {
    const { code } = await asAdmin.createLink({ target: 'https://example.com/admin' })
    const anybody = createClient({ baseUrl: service.baseUrl })
    expect(await problemOf(anybody.deleteLink(code))).to.include({ status: 401, code: 'token_required' })
    const reader = createClient({ baseUrl: service.baseUrl, token: await service.tokenFor(admin, 'link:read') })
    expect(await problemOf(reader.deleteLink(code))).to.include({ status: 403, code: 'insufficient_scope' })
    expect(await problemOf(ada.getPolicy())).to.include({ status: 403, code: 'role_not_allowed' })
    const denied = await problemOf(ada.deleteLink(code))
    expect(denied).to.include({ status: 403, code: 'policy_denied', rule: 'R5' })
    const invalid = await problemOf(ada.createLink({ target: 'ftp://example.com/' }))
    expect(invalid).to.include({ status: 422, code: 'validation_failed' })
    expect(invalid.errors.map(({ field }) => field)).to.deep.equal(['target'])
    const taken = await problemOf(ada.createLink({ target: 'https://example.com/', code }))
    expect(taken).to.include({ status: 409, code: 'code_taken' })
    const log = await until('the record', () => asAdmin.explainRequest(denied.requestId ?? '').catch(() => undefined))
    expect(log.data.map(({ rule }) => rule)).to.deep.equal(['R5'])
  })

  it('makes one link for one key, however often it is asked for', async () => {
    const options = { idempotencyKey: 'only-once' }
    const first = await ada.createLink({ target: 'https://example.com/once' }, options)
    const second = await ada.createLink({ target: 'https://example.com/once' }, options)
    expect(second).to.deep.equal(first)
    expect(ada.headersOf(second)?.get('Idempotent-Replayed')).to.equal('true')
  })

  it('changes many links, each decided by itself', async () => {
    const items = [
      { target: 'https://example.com/1', code: 'many-1' },
      { target: 'https://example.com/2', code: 'spring' },
    ]
    const tried = await ada.changeManyLinks({ operation: 'create', items }, { query: { dry_run: true } })
    expect(tried.done).to.equal(2)
    const { done } = await ada.changeManyLinks({ operation: 'create', items, atomic: true })
    expect(done).to.equal(2)
    const { results } = await ada.changeManyLinks({
      operation: 'delete',
      items: [{ link: 'many-1' }, { link: 'none' }],
    })
    expect(results.map(({ status }) => status)).to.deep.equal([204, 404])
    expect(results[1]?.problem?.code).to.equal('not_found')
  })

  it('exports links with the fields of a link, and watches the visits of one', async () => {
    const csv = (await allOf(ada.exportLinks())).join('')
    const links = await allOf(ada.exportLinks({ format: 'ndjson' }))
    expect(csv.trim().split('\n')).to.have.length(links.length + 1)
    const { visits: _, url: __, etag: ___, ...exported } = await ada.updateLink(links[0]?.code ?? '', {})
    expect(links[0]).to.deep.equal(exported)

    await service.request('GET', '/spring', { headers: { 'User-Agent': AGENTS.firefox } })
    let total = 0
    for await (const count of ada.watchLinkVisits('spring')) {
      total = count.total
      if (total > 0) break
    }
    expect(total).to.equal(1)
    const [visit] = await allOf(ada.exportLinkVisits('spring', { format: 'ndjson' }))
    expect(Object.keys(visit ?? {}).toSorted()).to.deep.equal([
      'bot',
      'browser',
      'country',
      'device',
      'os',
      'referrer',
      'time',
    ])
    expect((await ada.getLinkVisits('spring', { interval: 'hour', bots: false })).bots).to.be.a('number')
    expect((await ada.getVisits({ tag: ['none'] })).total).to.equal(0)
  })

  it('draws the code of a link', async () => {
    const svg = await ada.getLinkQr('spring', { size: 256, dark: '#102030' })
    expect(await svg.text()).to.match(/^<svg/)
    expect((await ada.getLinkQr('spring', { format: 'png' })).type).to.equal('image/png')
  })

  it('edits the policy under the revision that was read, and answers AuthZEN questions', async () => {
    const policy = await asAdmin.getPolicy()
    const row = {
      ptype: 'p',
      priority: 2000,
      rule: 'TODO',
      role: 'todo',
      action: 'todo:read',
      reach: 'any',
      effect: 'allow',
    }
    const changes = { add: [row], reason: 'to try' }
    const tried = await asAdmin.changePolicy(changes, { ifMatch: policy, query: { dry_run: true } })
    expect(tried).to.include({ dry_run: true, revision: policy.revision })
    const edit = await asAdmin.changePolicy(changes, { ifMatch: policy })
    expect(await problemOf(asAdmin.changePolicy(changes, { ifMatch: policy }))).to.include({ status: 412 })
    const question = {
      subject: { type: 'todo-user', id: 'morty', properties: { role: 'todo' } },
      action: { name: 'todo:read' },
      resource: { type: 'todo', id: '1' },
    }
    expect(await asAdmin.evaluateAccess(question, { policyAtLeast: edit.revision })).to.deep.equal({ decision: true })
    const { subject, action } = question
    const answers = await asAdmin.evaluateManyAccesses({
      subject,
      action,
      evaluations: [
        { resource: { type: 'todo', id: '1' } },
        { resource: { type: 'todo', id: '2' }, action: { name: 'todo:write' } },
      ],
    })
    expect(answers).to.deep.equal({ evaluations: [{ decision: true }, { decision: false }] })
    const back = await asAdmin.restorePolicyRevision(policy.revision, {}, { ifMatch: edit })
    expect(back.removed).to.have.length(1)
    expect((await allOf(asAdmin.listPolicyRevisions({ limit: 1 }))).map(({ revision }) => revision)).to.deep.equal([
      3, 2, 1,
    ])
    expect((await asAdmin.getPolicyRevision(2)).reason).to.equal('to try')
    expect(await asAdmin.getPolicy({ format: 'csv' })).to.match(/^p, /m)
    expect(await asAdmin.getPolicyModel()).to.include('[matchers]')
    expect((await asAdmin.getPolicyTable()).decisions).to.not.have.length(0)
    expect(await asAdmin.getPolicyTable({ format: 'csv' })).to.match(/^role,/)
    expect((await asAdmin.getAuthzenConfiguration()).policy_decision_point).to.equal(service.baseUrl)
  })

  it('reads the log by pages and as an export', async () => {
    const page = await asAdmin.listDecisions({ limit: 5, effect: 'allow' }).page()
    expect(page.data).to.have.length(5)
    const all = await allOf(asAdmin.listDecisions({ format: 'ndjson', action: 'link:create' }))
    expect(all.every(({ kind }) => kind === 'decision')).to.equal(true)
    expect((await allOf(asAdmin.getTimeline({ format: 'csv', kind: 'policy' }))).join('')).to.include('to try')
    expect((await allOf(asAdmin.getTimeline({ kind: 'policy', limit: 100 }))).map(({ kind }) => kind)).to.include(
      'policy',
    )
  })

  it('manages users, tokens and the own account', async () => {
    const me = await ada.getProfile()
    expect((await ada.updateProfile({ name: 'Ada L.' })).name).to.equal('Ada L.')
    const users = await allOf(asAdmin.listUsers({ limit: 1 }))
    expect(users.map(({ id }) => id)).to.deep.equal([me.id, admin.id])
    expect((await asAdmin.updateUser(me.id, { role: 'viewer' })).role).to.equal('viewer')
    expect((await asAdmin.getUser(me.id)).role).to.equal('viewer')
    const made = await ada.createPersonalToken({ name: 'a program', scopes: ['link:read', 'profile:read'] })
    const program = createClient({ baseUrl: service.baseUrl, token: async () => made.token })
    expect((await program.getProfile()).id).to.equal(me.id)
    expect((await ada.listPersonalTokens()).data.map(({ id }) => id)).to.deep.equal([made.id])
    await ada.revokePersonalToken(made.id, { descendants: true })
    expect(await problemOf(program.getProfile())).to.include({ status: 401, code: 'invalid_token' })
    const { code } = await ada.createLink({ target: 'https://example.com/given' })
    expect((await asAdmin.transferLink(code, { owner_id: admin.id })).owner_id).to.equal(admin.id)
    expect((await asAdmin.transferLinksOfUser(me.id, { owner_id: admin.id })).remaining).to.equal(0)
  })

  it('keeps the sign-in over a renewal, and ends it', async () => {
    const [first] = told
    const later = createClient({
      baseUrl: service.baseUrl,
      tokens: { access_token: 'long over', refresh_token: first?.refresh_token ?? '', expires_at: 0 },
      onTokens: (tokens) => told.push(tokens),
    })
    const profiles = await Promise.all([later.getProfile(), later.getProfile(), later.getProfile()])
    expect(new Set(profiles.map(({ email }) => email))).to.deep.equal(new Set([ADA.email]))
    expect(told).to.have.length(2)
    const refresh = told[1]?.refresh_token ?? ''
    await later.signOut()
    expect(told[2]).to.equal(null)
    const grant = { grant_type: 'refresh_token', refresh_token: refresh }
    expect(await problemOf(later.requestToken(grant))).to.include({ status: 400, code: 'invalid_grant' })
    // the same sign-in, of which the other client still holds a token
    expect(await problemOf(ada.getProfile())).to.include({ code: 'invalid_grant' })
    expect(await problemOf(ada.getProfile())).to.include({ status: 401, code: 'token_required' })
    await ada.signIn(ADA)
    expect((await ada.getProfile()).email).to.equal(ADA.email)
  })

  it('is told that a mailed link is over, and that no mail is sent', async () => {
    const anybody = createClient({ baseUrl: service.baseUrl })
    expect(await problemOf(anybody.showPasswordReset({ token: 'x' }))).to.include({ status: 410, code: 'gone' })
    const reset = anybody.resetPassword({ token: 'x', password: 'a new password' })
    expect(await problemOf(reset)).to.include({ status: 410, code: 'gone' })
    expect(await problemOf(anybody.showEmailConfirmation({ token: 'x' }))).to.include({ status: 410 })
    expect(await problemOf(anybody.confirmEmail({ token: 'x' }))).to.include({ status: 410 })
    const asked = anybody.requestPasswordReset({ email: ADA.email })
    expect(await problemOf(asked)).to.include({ status: 404, code: 'no_mail' })
    await asAdmin.deleteUser((await ada.getProfile()).id, { links: `transfer:${admin.id}` })
    expect(await problemOf(ada.getProfile())).to.include({ code: 'invalid_grant' })
  })
})
