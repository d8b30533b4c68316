import { expect } from 'chai'

import { runCommand, type CliAnswer } from '../support/cli.js'
import { addRows } from '../support/edit-policy.js'
import { at, listAt } from '../support/json.js'
import { onDatabase } from '../support/node.js'
import { addLink } from '../support/records.js'
import { startWithCallers, type Callers } from '../support/two-callers.js'
import { until } from '../support/until.js'

describe('linkgate policy explain', () => {
  let callers: Callers
  let code: string
  before(async () => {
    callers = await startWithCallers()
    code = await addLink(callers.service.db, { owner: callers.editor.id })
    await addRows(callers.service, callers.admin.token, [
      { ptype: 'p', priority: 50, rule: 'FREEZE', role: 'editor', action: 'link:delete', reach: 'own', effect: 'deny' },
    ])
  })
  after(() => callers.service.stop())

  const explain = (...args: readonly string[]): Promise<CliAnswer> =>
    runCommand(['policy', 'explain', ...args], {
      environment: onDatabase(callers.service.db.service, callers.service.db.owner),
    })
  const json = async (...args: readonly string[]): Promise<unknown> => {
    const answer = await explain(...args, '--json')
    expect(answer.code, answer.err).to.equal(0)
    return JSON.parse(answer.out)
  }

  /** Refusals are recorded in batches. */
  const recorded = (id: string): Promise<string> =>
    until(`the decision on ${id} is recorded`, async () => {
      const { code: exit, out } = await explain('--request', id)
      return exit === 0 && out
    })

  it('says what decided and which rows were considered, for a user and a link', async () => {
    const {
      code: exit,
      out,
      err,
    } = await explain('--user', callers.editor.email, '--action', 'link:delete', '--link', code)
    expect([exit, err], 'the answer is no, and the question was answered').to.deep.equal([0, ''])
    expect(out).to.match(/^editor link:delete on an own record: deny FREEZE \(revision 2\)$/m)
    expect(out)
      .to.match(/^p, 50, FREEZE, editor, link:delete, own, deny +decides$/m)
      .and.to.match(/^p, 530, .* +not reached$/m)
    expect((await explain('--user', callers.other.id, '--action', 'link:delete', '--link', code)).out)
      .to.match(/^p, 50, .* +does not match: the record is another's$/m)
      .and.to.match(/^p, 540, R5, user, link:delete, any, deny +decides$/m)
  })

  it('explains an earlier revision, a role and an anonymous caller, and prints JSON', async () => {
    expect(
      await json('--user', callers.editor.id, '--action', 'link:delete', '--link', code, '--revision', '1'),
    ).to.deep.include({ revision: 1, relation: 'own', effect: 'allow', layer: 'object' })
    expect(await json('--role', 'viewer', '--action', 'link:update', '--relation', 'own')).to.deep.include({
      role: 'viewer',
      relation: 'own',
      effect: 'allow',
    })
    expect(await json('--role', 'viewer', '--action', 'link:update')).to.deep.include({
      relation: 'other',
      effect: 'deny',
    })
    for (const who of [
      ['--user', 'anonymous'],
      ['--role', 'anonymous'],
    ]) {
      const nobody = await json(...who, '--action', 'link:create')
      expect(nobody).to.deep.include({ role: 'anonymous', relation: 'anonymous', effect: 'deny', layer: 'endpoint' })
      expect(
        listAt(nobody, 'object', 'considered').map((each) => [at(each, 'row', 'priority'), at(each, 'outcome')]),
      ).to.deep.equal([
        [200, 'decides'],
        [400, 'not_reached'],
        [999_999, 'not_reached'],
      ])
    }
    expect((await explain('--role', 'viewer', '--action', 'policy:write')).out)
      .to.contain('deny at the endpoint')
      .and.to.contain('no endpoint row allows the role')
  })

  it('says that the policy treats a suspended user as anonymous', async () => {
    const suspended = await callers.service.addUser('admin')
    await callers.service.db.asOwner('update users set suspended_at = now() where id = $1', [suspended.id])
    const { code: exit, out, err } = await explain('--user', suspended.id, '--action', 'link:create')
    expect([exit, out.split('\n')[0]]).to.deep.equal([0, 'anonymous link:create: deny at the endpoint (revision 2)'])
    expect(err).to.contain('is suspended')
  })

  it('explains the decisions on a past request by the rows of its time', async () => {
    const { service, editor, other } = callers
    const allowed = await service.request('POST', '/links', {
      token: editor.token,
      json: { target: 'https://example.com/' },
    })
    const asked = await explain('--request', allowed.headers.get('X-Request-ID') ?? '')
    expect([asked.code, asked.err]).to.deep.equal([0, ''])
    expect(asked.out)
      .to.match(/^\S+Z user \d+ \(editor\) link:create \S+: allow R4 by the object layer, 201$/m)
      .and.to.match(/^p, 400, R4, user, link:create, any, allow +decides$/m)

    for (const [layer, answer, why] of [
      ['object', await service.request('DELETE', `/links/${code}`, { token: other.token }), /^p, 540, .* decides$/m],
      ['endpoint', await service.request('GET', '/policy', { token: other.token }), /the record is not looked up/],
      [
        'gateway',
        await service.request('DELETE', `/links/${code}`),
        /^no token was sent; it needs one with the scope link:delete$/m,
      ],
    ] as const) {
      const id = answer.headers.get('X-Request-ID') ?? ''
      expect(await recorded(id), layer)
        .to.contain(`by the ${layer} layer`)
        .and.to.match(why)
      expect(
        at(JSON.parse((await explain('--request', id, '--json')).out), 'data', 0, 'explanation', 'layer'),
      ).to.equal(layer)
    }
  })

  it('exits with 1 where there is no such user, link or revision, and with 2 for bad usage', async () => {
    const { id } = callers.editor
    for (const [exit, ...args] of [
      [1, '--user', 'nobody@example.com', '--action', 'link:read'],
      [1, '--user', id, '--action', 'link:read', '--link', 'absent'],
      [1, '--user', id, '--action', 'link:read', '--revision', '9'],
      [1, '--request', 'absent'],
      [2, '--request', 'absent', '--user', id],
      [2, '--request', 'absent', '--action', 'link:read'],
      [2, '--action', 'link:read'],
      [2, '--user', id],
      [2, '--user', id, '--role', 'editor', '--action', 'link:read'],
      [2, '--user', id, '--action', 'read'],
      [2, '--role', 'editor', '--action', 'link:read', '--link', code],
      [2, '--user', id, '--action', 'link:read', '--link', code, '--relation', 'own'],
      [2, '--user', 'anonymous', '--action', 'link:read', '--relation', 'own'],
      [2, '--role', 'No Role', '--action', 'link:read'],
      [2, '--role', 'anyone', '--action', 'link:read'],
    ] as const) {
      const answer = await explain(...args)
      expect([answer.code, answer.out], args.join(' ')).to.deep.equal([exit, ''])
      expect(answer.err).to.match(/^linkgate: [^\n]+\n$/)
    }
  })
})
