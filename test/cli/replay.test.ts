import { join } from 'node:path'
import { writeFile } from 'node:fs/promises'

import { expect } from 'chai'

import { runCommand, type CliAnswer } from '../support/cli.js'
import { at } from '../support/json.js'
import { onDatabase } from '../support/node.js'
import { freshCode } from '../support/records.js'
import { makeTemporaryFolder } from '../support/temporary-folder.js'
import { startWithCallers, type Callers } from '../support/two-callers.js'

describe('linkgate policy diff, apply and restore with --replay', () => {
  let callers: Callers
  let frozen: string

  const policy = (...args: readonly string[]): Promise<CliAnswer> =>
    runCommand(['policy', ...args], { environment: onDatabase(callers.service.db.service, callers.service.db.owner) })
  const done = async (...args: readonly string[]): Promise<string> => {
    const { code, out, err } = await policy(...args)
    expect({ code, err }, args.join(' ')).to.deep.equal({ code: 0, err: '' })
    return out
  }

  before(async () => {
    callers = await startWithCallers()
    const { service, editor, other } = callers
    for (const owner of [editor, editor, other]) {
      const code = freshCode()
      await service.request('POST', '/links', { token: owner.token, json: { target: 'https://example.com/', code } })
      expect((await service.request('DELETE', `/links/${code}`, { token: owner.token })).status).to.equal(204)
    }
    frozen = join(await makeTemporaryFolder(), 'frozen.csv')
    await writeFile(frozen, `${await done('export')}p, 50, FREEZE, editor, link:delete, any, deny\n`)
  })
  after(() => callers.service.stop())

  it('lists the recorded decisions that would change, and their users', async () => {
    const { editor, other } = callers
    const out = await done('diff', frozen, '--replay', '24h')
    expect(out).to.match(/^replay of 24h, \S+Z to \S+Z$/m)
    expect(out).to.match(
      new RegExp(
        `^editor +link:delete +own +3 +allow R5 +deny FREEZE +${editor.id} \\(2\\), ${other.id} \\(1\\)$`,
        'm',
      ),
    )
    expect(out).to.match(
      /^3 of \d+ recorded decisions would be different, for 2 users: 0 from deny to allow, 3 from allow to deny$/m,
    )
    expect(at(JSON.parse(await done('diff', frozen, '--replay', '24h', '--json')), 'replay')).to.deep.include({
      window: '24h',
      changed: 3,
      subjects: 2,
    })
    expect((await done('diff', frozen, '--replay', '24h', '--csv')).split('\n')).to.deep.equal([
      'role,action,relation,layer,count,' +
        'effect_before,rule_before,effect_in_force,rule_in_force,effect_after,rule_after,users',
      'editor,link:delete,own,object,3,allow,R5,allow,R5,deny,FREEZE,2',
      '',
    ])
  })

  it('needs a dry run for apply and restore', async () => {
    expect(await done('apply', frozen, '--reason', 'x', '--dry-run', '--replay', '1h'))
      .to.contain('3 of ')
      .and.to.contain('dry run: revision 1 stays in force')
    expect(
      at(
        JSON.parse(await done('restore', '1', '--reason', 'x', '--dry-run', '--replay', '1h', '--json')),
        'replay',
        'changed',
      ),
    ).to.equal(0)
    for (const args of [
      ['apply', frozen, '--reason', 'x', '--replay', '1h'],
      ['restore', '1', '--reason', 'x', '--replay', '1h'],
      ['diff', frozen, '--replay', '1w'],
      ['diff', frozen, '--replay', '91d'],
    ]) {
      const { code, out, err } = await policy(...args)
      expect([code, out], args.join(' ')).to.deep.equal([2, ''])
      expect(err).to.match(/^linkgate: [^\n]+\n$/)
    }
  })
})
