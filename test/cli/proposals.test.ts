import { rm, writeFile } from 'node:fs/promises'
import { userInfo } from 'node:os'
import { join } from 'node:path'

import { expect } from 'chai'

import { outputOf, runCommand } from '../support/cli.js'
import { at, listAt, textAt } from '../support/json.js'
import { onDatabase } from '../support/node.js'
import { startTestService, type TestService, type TestUser } from '../support/service.js'
import { makeTemporaryFolder } from '../support/temporary-folder.js'

const ROW = 'p2, viewer, user:read'

describe('linkgate policy, with POLICY_APPROVALS=1', () => {
  let service: TestService
  let admin: TestUser
  let folder: string
  let environment: Readonly<Record<string, string>>
  beforeEach(async () => {
    service = await startTestService({ environment: { POLICY_APPROVALS: '1' } })
    admin = await service.addUser('admin')
    folder = await makeTemporaryFolder()
    environment = { ...onDatabase(service.db.service, service.db.owner), POLICY_APPROVALS: '1' }
  })
  afterEach(async () => {
    await service.stop()
    await rm(folder, { recursive: true, force: true })
  })

  const policy = (...args: readonly string[]) => runCommand(['policy', ...args], { environment })
  const done = (...args: readonly string[]) => outputOf(['policy', ...args], { environment })
  const apply = async (rows: string, ...more: readonly string[]) => {
    const path = join(folder, 'rows.csv')
    await writeFile(path, `${rows}\n`)
    return done('apply', path, '--merge', '--reason', 'viewers read', ...more)
  }
  const idIn = (out: string): string => /^proposal (\d+) needs somebody else/m.exec(out)?.[1] ?? expect.fail(out)
  const send = async (method: string, path: string, json?: object) => {
    const { revision } = await service.policy.refresh()
    const headers = { 'If-Match': `"${revision}"` }
    return service.request(method, path, { token: admin.token, headers, ...(json && { json }) })
  }
  const proposeOverHttp = async () => {
    const add = [{ ptype: 'p2', role: 'notary', action: 'link:read' }]
    const { json } = await send('POST', '/policy/changes', { add, reason: 'notaries read' })
    return textAt(at(json, 'proposal'), 'id')
  }

  it('apply and restore make a proposal and say so; another person approves it', async () => {
    const id = idIn(await apply(ROW))
    expect(await done('history')).not.to.match(/^2 /m)
    expect(await done('proposals')).to.match(/^1 +open +\S+Z +\S.* \(command line\) +\+1 -0 +0 +viewers read$/m)
    expect(await done('proposals', id))
      .to.contain(`+ ${ROW}`)
      .and.contain('against revision 1')
      .and.match(/^viewer +user:read +own/m)
    const approved = await send('POST', `/policy/proposals/${id}/approve`, {})
    expect(approved.json).to.include({ revision: 2 })
    expect(await done('history')).to.match(
      new RegExp(`^2 .* \\(command line\\), approved by ${admin.email} \\(${id}\\) +\\+1 -0`, 'm'),
    )
    const restore = idIn(await done('restore', '1', '--reason', 'as before'))
    expect(await done('proposals', restore)).to.contain(`- ${ROW}`)
    expect(listAt((await send('GET', '/policy/proposals?state=open')).json, 'data')).to.have.length(1)
  })

  it('nobody approves or declines at the terminal what they proposed there; they may withdraw it', async () => {
    const id = idIn(await apply(ROW))
    for (const args of [
      ['approve', id],
      ['decline', id, '--reason', 'x'],
    ]) {
      const { code, err } = await policy(...args)
      expect([code, err]).to.deep.equal([1, 'linkgate: Nobody may decide on their own proposal\n'])
    }
    expect(await done('withdraw', id)).to.equal(`proposal ${id} is withdrawn\n`)
    expect((await policy('withdraw', id)).err).to.contain('It is withdrawn, by')
    expect((await policy('approve', '99')).err).to.equal('linkgate: there is no proposal 99\n')
    expect((await policy('approve', 'x')).code).to.equal(2)
  })

  it('a proposal of somebody else is approved or declined there, by the name of the system', async () => {
    const [first, second] = [await proposeOverHttp(), await proposeOverHttp()]
    expect((await policy('withdraw', first)).err).to.equal('linkgate: Only its author can withdraw a proposal\n')
    expect((await policy('decline', first)).code, 'without a reason').to.equal(2)
    expect(await done('decline', first, '--reason', 'no notaries')).to.equal(`proposal ${first} is declined\n`)
    expect(await done('approve', second, '--reason', 'one of them')).to.contain('revision 2 is in force')
    const { username } = userInfo()
    expect((await send('GET', '/policy/revisions/2')).json).to.deep.include({
      actor: { id: admin.id, name: admin.email },
      approved_by: { id: null, name: `${username} (command line)` },
    })
    const third = await proposeOverHttp().catch(() => 'none')
    expect(third, 'the same again changes nothing').to.equal('none')
  })

  it('the reason of whoever closed a proposal fakes no line of it', async () => {
    const id = idIn(await apply(ROW))
    const reason = 'no\n+ p2, viewer, policy:write'
    expect((await send('POST', `/policy/proposals/${id}/decline`, { reason })).status).to.equal(200)
    const shown = await done('proposals', id)
    expect(shown).to.contain(`by ${admin.email}: no\\u000a+ p2, viewer, policy:write`)
    expect(shown).not.to.match(/^\+ .*policy:write/m)
  })

  it('does not approve what its maker may not do any more', async () => {
    const id = await proposeOverHttp()
    await service.addUser('admin')
    await service.db.asOwner('update users set suspended_at = now() where id = $1', [admin.id])
    const { code, err } = await policy('approve', id)
    expect([code, err]).to.deep.equal([1, 'linkgate: The proposer is suspended.\n'])
    expect(await done('proposals', id)).to.contain('The proposer is suspended.')
    expect(await done('history')).not.to.match(/^2 /m)
  })

  it('says of a proposal that can no longer be applied which row has changed since', async () => {
    const edit = { remove: [{ ptype: 'p2', role: 'editor', action: 'link:create' }], reason: 'fewer links' }
    const id = textAt(at((await send('POST', '/policy/changes', edit)).json, 'proposal'), 'id')
    const path = join(folder, 'fewer.csv')
    await writeFile(path, (await done('export')).replace('p2, editor, link:create\n', ''))
    await done('apply', path, '--reason', 'at once', '--without-approval')
    const says = 'The rows have changed since: p2, editor, link:create: is not a row of the policy.'
    expect(await done('proposals', id)).to.contain(says)
    expect((await policy('approve', id)).err).to.equal(`linkgate: ${says}\n`)
  })

  it('--without-approval applies at once, and the history and the log say so', async () => {
    expect(await apply(ROW, '--without-approval')).to.contain('revision 2 is in force')
    expect(await done('history')).to.match(/^2 .* \(command line\), without approval +\+1 -0/m)
    expect(await done('history', '2')).to.contain('(command line), without approval')
    const [entry] = await service.db.asOwner<{ change: unknown }>(
      `select change from decisions where kind = 'policy' and resource_code = '2'`,
    )
    expect(entry?.change).to.include({ what: 'revision', without_approval: true })
    environment = { ...environment, POLICY_APPROVALS: '0' }
    expect(await done('restore', '1', '--reason', 'x', '--without-approval')).to.contain('revision 3 is in force')
    expect(await done('history'), 'where nobody has to approve').not.to.match(/^3 .*without approval/m)
  })

  it('where the stored rows cannot be in force, only --without-approval leads out', async () => {
    const id = await proposeOverHttp()
    await service.db.asOwner(`insert into casbin (ptype, rule) values ('p2', '["clerk", "no such:action", "more"]')`)
    expect((await policy('restore', '1', '--reason', 'x')).err).to.contain('use --without-approval')
    expect((await policy('approve', id)).err).to.contain('restore a revision first')
    const restored = await policy('restore', '1', '--reason', 'x', '--without-approval')
    expect(restored.out).to.contain('revision 3 is in force')
  })
})
