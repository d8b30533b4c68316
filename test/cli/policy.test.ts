import { execFile } from 'node:child_process'
import { cp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

import { expect } from 'chai'

import { PACKAGE_ROOT } from '../../src/config.js'
import { outputOf, runCommand, type CliAnswer } from '../support/cli.js'
import { testDatabase, type TestDatabase } from '../support/database.js'
import { onDatabase } from '../support/node.js'
import { requireBuilt } from '../support/program.js'
import { makeTemporaryFolder } from '../support/temporary-folder.js'

const ROOT = fileURLToPath(PACKAGE_ROOT)
const MODERATE = 'p, 505, MOD, editor, link:update, any, allow\np, 506, MOD, editor, link:delete, any, allow\n'

describe('linkgate policy', () => {
  let db: TestDatabase
  let folder: string
  let environment: Readonly<Record<string, string>>

  beforeEach(async () => {
    db = await testDatabase()
    folder = await makeTemporaryFolder()
    environment = onDatabase(db.service, db.owner)
  })
  afterEach(async () => {
    await rm(folder, { recursive: true, force: true })
  })

  const policy = (...args: readonly string[]) => runCommand(['policy', ...args], { environment })
  const done = (...args: readonly string[]) => outputOf(['policy', ...args], { environment })
  const file = async (name: string, text: string): Promise<string> => {
    const path = join(folder, name)
    await writeFile(path, text)
    return path
  }

  it('export prints the rows in force, and apply takes them back without making a revision', async () => {
    const csv = await done('export')
    expect(csv).to.contain('p, 510, R5, user, link:update, own, allow')
    expect(await done('apply', await file('same.csv', csv), '--reason', 'nothing')).to.equal(
      'nothing changes: revision 1 stays in force\n',
    )
    expect(await done('export')).to.equal(csv)
  })

  it('export, diff, apply, history and restore know the comments of rows', async () => {
    const csv = await done('export')
    expect(csv).to.equal(await readFile(join(ROOT, 'policies/default.csv'), 'utf8'))
    const other = await file(
      'other.csv',
      csv.replace(/^# R1 .*\n/m, '').replace('p2, admin', '# the keys\n# to the house\np2, admin'),
    )
    const gone = /^# p, 100, R1, anyone, link:read, any, allow: "R1  .*" -> none$/m
    const came = '# p2, admin, *: none -> "the keys\\nto the house"\n'
    expect(await done('diff', other))
      .to.match(gone)
      .and.contain(came)
      .and.contain('no decision changes')
    expect(JSON.parse(await done('diff', other, '--json')).comments).to.have.length(2)
    expect(await done('apply', other, '--reason', 'other words'))
      .to.match(gone)
      .and.contain('revision 2 is in force')
    expect(await done('history')).to.match(/^2 +\S+Z +\S.* \(command line\) +\+0 -0 +2 +other words$/m)
    expect(await done('history', '2')).to.contain(came)
    // rows without a comment say nothing of one where they are merged
    const bare = await file('bare.csv', 'p2, admin, *\n')
    expect(await done('apply', bare, '--merge', '--reason', 'x')).to.contain('nothing changes')
    expect(await done('export')).to.contain('\n\n# the keys\n# to the house\np2, admin, *\n')
    await done('restore', '1', '--reason', 'the words of before')
    expect(await done('export')).to.equal(csv)
  })

  it('export prints a comment letter by letter, also those that join others, so that apply takes it back', async () => {
    const joined = '# the team 👩\u200d💻 and its re\u00advi\u00adsion, می\u200cخواهم\np2, admin, *'
    const other = await file('joined.csv', (await done('export')).replace('p2, admin, *', joined))
    await done('apply', other, '--reason', 'words of other languages')
    const csv = await done('export')
    expect(csv).to.contain(joined)
    expect(await done('apply', await file('same.csv', csv), '--reason', 'nothing')).to.contain('nothing changes')
  })

  it('table prints every decision, as text, CSV and JSON', async () => {
    expect(await done('table')).to.match(/^editor +link:delete +allow R5 +deny R5 +allow$/m)
    const csv = (await done('table', '--csv')).trimEnd().split('\n')
    const { revision, decisions } = JSON.parse(await done('table', '--json'))
    expect(revision).to.equal(1)
    expect(decisions).to.have.length(csv.length - 1)
    expect(
      (await done('table', '--role', 'editor', '--action', 'link:delete', '--csv')).trimEnd().split('\n'),
    ).to.have.length(3)
    expect((await policy('table', '--csv', '--json')).code).to.equal(2)
    expect((await policy('table', '--action', 'foo')).err).to.contain('must be <resource>:<verb>')
    // a role that nobody can have would be shown with what every signed-in user may do
    for (const role of ['Editor', 'anyone'])
      expect(await policy('table', '--role', role), role).to.include({ code: 2, out: '' })
  })

  it('check analyses each row of a file without a database', async () => {
    environment = { ...environment, DATABASE_URL: 'postgres://nobody:x@127.0.0.1:1/nothing' }
    expect(await done('check', join(ROOT, 'policies/default.csv')))
      .to.contain('25 rows')
      .and.to.contain('every invariant holds')
    const doubtful = await file(
      'doubtful.csv',
      `${await readFile(join(ROOT, 'policies/default.csv'), 'utf8')}p, 1000000, X, editor, link:raed, any, allow\n`,
    )
    const text = await done('check', doubtful)
    expect(text).to.contain('unreachable: shadowed by row 999999').and.to.contain('no route has the action link:raed')
    const { findings } = JSON.parse(await done('check', doubtful, '--json'))
    expect(findings).to.deep.include({
      kind: 'unreachable',
      row: {
        ptype: 'p',
        priority: 1_000_000,
        rule: 'X',
        role: 'editor',
        action: 'link:raed',
        reach: 'any',
        effect: 'allow',
      },
      by: [999_999],
    })
  })

  it('check without a file analyses the rows in force, and warns of roles that no user has', async () => {
    await db.asOwner(`insert into users (email, role) values ('e@example.com', 'editor')`)
    const text = await done('check')
    expect(text)
      .to.contain('p2, viewer, link:read')
      .and.to.contain('no user has the role viewer')
      .and.to.contain('revision 1: 25 rows')
    expect(text).not.to.contain('no user has the role editor')
    expect(await done('check', '--csv')).to.match(/^kind,row,finding\n/)
  })

  it('check, a dry run and apply warn of a role that is written nowhere else, and name the nearest', async () => {
    const typo = await file('typo.csv', 'p2, auditr, link:read\n')
    await done('apply', join(ROOT, 'policies/auditor.csv'), '--merge', '--reason', 'auditors')
    for (const dry of [['--dry-run'], []]) {
      const { code, err } = await policy('apply', typo, '--merge', '--reason', 'a typo', ...dry)
      expect({ code, err }).to.deep.equal({
        code: 0,
        err:
          'linkgate: warning: p2, auditr, link:read: the role auditr is written nowhere else; ' +
          'did you mean auditor?\n',
      })
    }
    expect((await policy('check', typo)).out).to.contain('the role auditr is written nowhere else')
    await db.asOwner(`insert into users (email, role) values ('a@example.com', 'editro')`)
    const { code, out, err } = await policy('check')
    expect(code).to.equal(0)
    expect(out).to.match(/^p2, auditr, link:read +.*no user has the role auditr.*did you mean auditor\?$/m)
    expect(err).to.equal(
      'linkgate: warning: of a user, the role editro is written nowhere else; did you mean editor?\n',
    )
  })

  it('roles that inherit each other are refused, and a stored loop is told', async () => {
    const loop = await file('loop.csv', 'g, clerk, notary\ng, notary, clerk\n')
    const answers = [
      await policy('check', loop),
      await policy('apply', loop, '--merge', '--reason', 'a loop'),
      await policy('apply', loop, '--reason', 'a loop'),
    ]
    for (const { code, err } of answers) {
      expect(code).to.equal(1)
      expect(err).to.match(/closes a loop of roles: (clerk > notary > clerk|notary > clerk > notary)/)
    }
    await db.asOwner(
      `insert into casbin (ptype, rule) values ('g', '["clerk", "notary"]'), ('g', '["notary", "clerk"]')`,
    )
    expect(await done('check')).to.contain('closes a loop of roles: clerk > notary > clerk')
    // an edit beside it is none of its business, and takes it away
    await done('restore', '1', '--reason', 'without the loop')
  })

  it('no command obeys what somebody stored: terminal escapes are shown as text, and fake no lines', async () => {
    await done('export')
    const nasty = 'x\u001b]0;owned\u0007\u001b[2K\u009b31m\u202e\r\n9999  2026-01-01  root  all is well'
    await db.asOwner(`insert into casbin (ptype, rule) values ('p2', jsonb_build_array('clerk', $1::text))`, [nasty])
    await db.asOwner(
      `insert into policy_revisions (revision, actor, reason, added, removed, decisions_changed, model_sha256)
       values (3, $1, $1, '[]', '[]', '[]', '')`,
      [nasty],
    )
    await db.asOwner('update policy_head set revision = 3')
    const answers = [
      await policy('history'),
      await policy('history', '3'),
      await policy('history', '2'),
      await policy('history', '--json'),
      await policy('check'),
      await policy('restore', '1', '--reason', nasty, '--dry-run'),
      await policy('restore', '1', '--reason', 'mended'),
      await policy('explain', '--user', nasty, '--action', 'link:read'),
      await policy('check', nasty),
    ]
    for (const { out, err } of answers) {
      // eslint-disable-next-line no-control-regex -- they are what is looked for
      expect(out + err).not.to.match(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e]/)
      expect(out + err).not.to.match(/^9999/m)
    }
    expect(answers[0]?.out).to.contain('x\\u001b]0;owned\\u0007')
    expect(JSON.parse(answers[3]?.out ?? '').data[0].reason).to.equal(nasty)
  })

  it('check exits with 1 for rows that break an invariant or do not parse', async () => {
    const broken = await policy('check', await file('broken.csv', MODERATE))
    expect(broken.code).to.equal(1)
    expect(broken.err)
      .to.contain('only-admin-updates-others')
      .and.to.contain('admin-reads-policy')
      .and.to.contain('policies/invariants.csv')
    const faulty = await policy('check', await file('faulty.csv', 'p, 1, R1, editor, link:read, any\np2, "a,b", *\n'))
    expect([faulty.code, faulty.out]).to.deep.equal([1, ''])
    expect(faulty.err).to.match(/^linkgate: .*faulty\.csv: line 1: .*; line 2, role: .*\n$/)
    for (const [path, message] of [
      [join(folder, 'none.csv'), /^linkgate: there is no file .*none\.csv\n$/],
      [folder, /^linkgate: a folder is no file: \/.*\n$/],
      [`${await file('rows.csv', '')}/rows.csv`, /^linkgate: ENOTDIR: the system cannot read .*rows\.csv\n$/],
    ] as const) {
      const { code, err } = await policy('check', path)
      expect(err).to.match(message)
      expect(code, 'as bad usage').to.equal(2)
    }
    expect((await policy('check', '--json', '--csv')).code).to.equal(2)
  })

  it('a file in another encoding than UTF-8 is refused: its comments would be stored with wrong letters', async () => {
    const path = join(folder, 'latin1.csv')
    await writeFile(path, '# für alle\np2, clerk, link:create\n', 'latin1')
    for (const args of [
      ['check', path],
      ['apply', path, '--merge', '--reason', 'a comment'],
    ]) {
      const { code, err } = await policy(...args)
      expect({ code, err }).to.deep.equal({ code: 2, err: `linkgate: ${path} is not UTF-8 text\n` })
    }
  })

  it('diff compares with a file or a revision, or two of them, and prints text, CSV and JSON', async () => {
    const shared = await file('readers.csv', `${await done('export')}p, 50, X, viewer, link:read, own, deny\n`)
    const text = await done('diff', shared)
    expect(text)
      .to.contain('+ p, 50, X, viewer')
      .and.to.match(/^viewer +link:read +own +allow R1 +deny X$/m)
      .and.to.contain('1 decision changes: 0 from deny to allow, 1 from allow to deny')
    await done('apply', shared, '--reason', 'readers')
    expect((await done('diff', '1', '2', '--csv')).trimEnd().split('\n')).to.have.length(2)
    expect(JSON.parse(await done('diff', '1', '--json')).decisions_changed).to.have.length(1)
    expect(await done('diff', '2')).to.contain('no decision changes')
    expect((await policy('diff', '9')).err).to.equal('linkgate: there is no policy revision 9\n')
  })

  it('apply puts rows in force, a dry run changes nothing, and the history says who and why', async () => {
    const auditor = join(ROOT, 'policies/auditor.csv')
    expect(await done('apply', auditor, '--merge', '--reason', 'an auditor', '--dry-run')).to.contain(
      'dry run: revision 1 stays in force',
    )
    expect(await done('history')).not.to.contain('an auditor')
    expect(await done('apply', auditor, '--merge', '--reason', 'an auditor')).to.contain('revision 2 is in force')
    const answer = JSON.parse(
      await done('apply', join(ROOT, 'policies/default.csv'), '--reason', 'no auditor', '--json'),
    )
    expect(answer).to.include({ revision: 3 })
    expect(answer.removed).to.have.length(10)
    expect(await done('history')).to.match(/^3 +\S+Z +\S.* \(command line\) +\+0 -10 +0 +no auditor$/m)
    expect(await done('history', '2')).to.contain('+ p, 810, AUDITOR, auditor, policy:read, any, allow')
    expect(await done('restore', '2', '--reason', 'the auditor again')).to.contain('revision 4 is in force')
    expect(
      JSON.parse(await done('history', '--json')).data.map((each: { revision: number }) => each.revision),
    ).to.deep.equal([4, 3, 2, 1])
  })

  it('apply and restore need a reason', async () => {
    for (const args of [
      ['apply', 'x.csv'],
      ['apply', 'x.csv', '--reason', ' '],
      ['restore', '1'],
      ['restore', 'one', '--reason', 'x'],
    ]) {
      const { code, err } = await policy(...args)
      expect(code, args.join(' ')).to.equal(2)
      expect(err.trimEnd().split('\n')).to.have.length(1)
    }
  })

  it('apply names the row whose priority is taken, and warns of rows that decide nothing', async () => {
    const taken = await policy(
      'apply',
      await file('taken.csv', 'p2, clerk, link:read\np, 300, X, clerk, link:read, any, allow\n'),
      '--merge',
      '--reason',
      'x',
    )
    expect([taken.code, taken.err]).to.deep.equal([
      1,
      'linkgate: the row "p, 300, X, clerk, link:read, any, allow", priority: ' +
        '300 is the priority of another row; priorities are unique\n',
    ])
    const late = await policy(
      'apply',
      await file('late.csv', 'p, 1000000, X, viewer, link:read, any, allow\n'),
      '--merge',
      '--reason',
      'x',
    )
    expect(late.code).to.equal(0)
    expect(late.err).to.equal(
      'linkgate: warning: p, 1000000, X, viewer, link:read, any, allow: unreachable: shadowed by row 100\n',
    )
  })

  it('apply refuses rows that do not meet the expectation files', async () => {
    const clerk = await file('clerk.csv', 'p, 50, X, viewer, link:read, any, deny\n')
    const refused = await policy(
      'apply',
      clerk,
      '--merge',
      '--reason',
      'x',
      '--expect',
      await file('clerk-allow.csv', 'viewer, link:read, other, clerks read\n'),
    )
    expect(refused.code).to.equal(1)
    expect(refused.err)
      .to.contain("viewer link:read on another's record must be allow, but is deny: row 50 (X)")
      .and.to.contain('1 of 1 question')
    expect(await done('history')).not.to.match(/^2 /m)
    await done(
      'apply',
      clerk,
      '--merge',
      '--reason',
      'x',
      '--expect',
      await file('clerk-deny.csv', 'viewer, link:read, other, clerks do not read\n'),
    )
    expect(
      (await policy('apply', clerk, '--merge', '--reason', 'x', '--expect', clerk)).code,
      'a file whose name says no answer',
    ).to.equal(2)
  })

  it('test compares the rows in force, or those of a file, with expectation files', async () => {
    expect(await done('test')).to.equal('47 questions, all answered as expected\n')
    const closed = await file('closed.csv', 'p, 1, X, admin, *, any, allow\n')
    const { code, err } = await policy('test', '--policy', closed)
    expect(code).to.equal(1)
    expect(err).to.match(
      /^linkgate: anonymous link:read without a user must be allow, but is deny: no row matches \[.*allow\.csv:3, R1/m,
    )
  })

  it('test and apply refuse a file of expectations without a question, which every policy would meet', async () => {
    const full = await file('full-allow.csv', 'viewer, link:read, other, R1\n')
    const clerk = await file('rows.csv', 'p, 50, X, viewer, link:read, any, deny\n')
    for (const [name, text] of [
      ['empty-allow.csv', ''],
      ['comments-deny.csv', '# what nobody may do\n\n'],
    ] as const) {
      const empty = await file(name, text)
      for (const args of [
        ['test', full, empty],
        ['apply', clerk, '--merge', '--reason', 'x', '--dry-run', '--expect', empty],
      ]) {
        expect(await policy(...args), args.join(' ')).to.deep.equal({
          code: 1,
          out: '',
          err: `linkgate: ${empty} has no question: it would test nothing\n`,
        })
      }
    }
  })

  it('recovers a policy that was broken by hand, and says what is wrong with it', async () => {
    const csv = await done('export')
    await db.asOwner(`insert into casbin (ptype, rule) values ('p', '["505", "X", "editor, *", "link:update", "any"]')`)
    const exported = await policy('export')
    expect(exported.out, 'the last good rows').to.equal(csv)
    expect(exported.err).to.contain('revision 2 cannot be in force').and.to.contain('Revision 1 is used.')
    expect((await policy('restore', '2', '--reason', 'x')).code).to.equal(1)
    expect(
      (await policy('apply', await file('a.csv', 'p2, clerk, link:read\n'), '--merge', '--reason', 'x')).err,
    ).to.contain('--merge needs rows that are in force')
    const mended = await policy('apply', await file('good.csv', csv), '--reason', 'mended')
    expect(mended.out).to.contain('(not a row)').and.to.contain('revision 3 is in force')
    await db.asOwner('truncate casbin')
    expect((await policy('restore', '3', '--reason', 'emptied')).out).to.contain('revision 5 is in force')
    expect(await done('export')).to.equal(csv)
  })

  it('names the shipped rows by their path where there is no revision to go back to', async () => {
    await db.asOwner(`insert into casbin (ptype, rule) values ('p', '["505", "X"]')`)
    const { code, err } = await policy('export')
    expect(code).to.equal(1)
    const shipped = /apply a file, such as (\S+)\n$/.exec(err)?.[1] ?? ''
    expect(shipped, err).to.equal(join(ROOT, 'policies/default.csv'))
    expect((await policy('apply', shipped, '--reason', 'start again')).code).to.equal(0)
    expect(await done('export')).to.equal(await readFile(shipped, 'utf8'))
  })

  it('lets editors moderate only after a change of the invariants that forbid it', async () => {
    requireBuilt()
    for (const part of ['bin', 'dist', 'policies', 'migrations', 'model.conf', 'package.json'])
      await cp(join(ROOT, part), join(folder, part), { recursive: true })
    await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
    const linkgate = (...args: readonly string[]) =>
      new Promise<CliAnswer>((resolve) => {
        execFile(
          process.execPath,
          [join(folder, 'bin/linkgate.js'), 'policy', ...args],
          { env: { PATH: process.env['PATH'], ...onDatabase(db.service, db.owner) } },
          (error, out, err) =>
            resolve({ code: typeof error?.code === 'number' ? error.code : error === null ? 0 : -1, out, err }),
        )
      })
    const moderate = await file('moderate.csv', MODERATE)
    const apply = ['apply', moderate, '--merge', '--reason', 'editors moderate'] as const
    const refused = await linkgate(...apply)
    expect(refused.code).to.equal(1)
    expect(refused.err)
      .to.match(/^linkgate: .*only-admin-updates-others.*row 505 \(MOD\) decides\. /)
      .and.match(/Invariants change only in policies\/invariants\.csv\.\n$/)

    const invariants = join(folder, 'policies/invariants.csv')
    await writeFile(
      invariants,
      (await readFile(invariants, 'utf8')).replace(/(only-admin-(?:updates|deletes)-others, )!admin,/g, '$1viewer,'),
    )
    const applied = await linkgate(...apply)
    expect([applied.code, applied.err]).to.deep.equal([0, ''])
    expect(applied.out)
      .to.match(/^editor +link:delete +another's +deny R5 +allow MOD$/m)
      .and.to.contain('revision 2 is in force')

    const restored = await linkgate('restore', '1', '--reason', 'no more')
    expect(restored.out)
      .to.match(/^editor +link:delete +another's +allow MOD +deny R5$/m)
      .and.to.contain('revision 3 is in force')
    expect((await linkgate('test')).code).to.equal(0)
  })
})
