import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

import { expect } from 'chai'

import { PACKAGE_ROOT } from '../../src/config.js'
import { Refusal } from '../../src/domain/refusal.js'
import { planEdit } from '../../src/policy/edit.js'
import { findViolations, parseInvariants } from '../../src/policy/invariants.js'
import { loadPolicyRules } from '../../src/policy/installation.js'
import { PolicyError } from '../../src/policy/policy-error.js'
import { buildSnapshot, type Snapshot } from '../../src/policy/snapshot.js'
import type { PolicyRules } from '../../src/policy/store.js'
import { csvRows, rowsOf, shippedRules } from '../support/policy.js'
import { makeTemporaryFolder } from '../support/temporary-folder.js'

describe('the invariants', () => {
  let rules: PolicyRules
  let base: Snapshot
  before(async () => {
    rules = await shippedRules()
    base = await buildSnapshot(1, rules.model, await rowsOf('default.csv'))
  })

  const refusal = async (add: string, remove = ''): Promise<string> => {
    try {
      await planEdit(base, { add: csvRows(add), remove: csvRows(remove) }, rules, 'unbounded')
    } catch (error) {
      if (error instanceof Refusal && error.code === 'invariant_violated') return error.message
      throw error
    }
    return 'was planned'
  }

  it('hold for the shipped rows, with the auditor role too', async () => {
    expect(await findViolations(base, rules.invariants())).to.deep.equal([])
    const more = await buildSnapshot(1, rules.model, [...base.rows, ...(await rowsOf('auditor.csv'))])
    expect(await findViolations(more, rules.invariants())).to.deep.equal([])
  })

  const broken: readonly (readonly [
    what: string,
    edit: readonly [add: string, remove?: string],
    says: readonly string[],
  ])[] = [
    [
      'a caller without a user creates',
      ['p, 150, X, anonymous, link:create, any, allow'],
      ['anonymous-reads-only', 'row 150 (X)', 'anonymous would be allowed link:create'],
    ],
    [
      'a caller without a user does what no row names',
      ['p, 150, X, anyone, *, any, allow'],
      ['anonymous-reads-only', 'row 150 (X)'],
    ],
    ['R2 goes', ['', 'p, 200, R2, anonymous, *, any, deny\np, 999999, R6, anyone, *, any, deny'], ['was planned']],
    [
      "an editor updates others' links",
      ['p, 505, X, editor, link:update, any, allow'],
      [
        'only-admin-updates-others',
        'row 505 (X)',
        "editor would be allowed link:update on another's record",
        'policies/invariants.csv',
      ],
    ],
    [
      "a role that inherits from admin updates others' links",
      ['g, clerk, admin'],
      ['only-admin-updates-others', 'row 300 (R3)', 'clerk'],
    ],
    [
      "every user deletes others' links",
      ['p, 505, X, user, link:delete, any, allow'],
      ['only-admin-deletes-others', 'row 505 (X)'],
    ],
    [
      "R5's denial becomes an allowance",
      ['p, 540, R5, user, link:delete, any, allow', 'p, 540, R5, user, link:delete, any, deny'],
      ['only-admin-deletes-others', 'row 540 (R5)'],
    ],
    [
      'an admin may not read the policy',
      ['p, 250, X, admin, policy:read, any, deny'],
      ['admin-reads-policy', 'row 250 (X)', 'admin would be denied policy:read'],
    ],
    [
      'an admin may not write the policy',
      ['p, 250, X, admin, policy:write, own, deny'],
      ['admin-writes-policy', 'row 250 (X)', 'on an own record'],
    ],
    [
      'an admin may not update users',
      ['p, 250, X, admin, user:update, any, deny'],
      ['admin-updates-users', 'row 250 (X)'],
    ],
    [
      "an admin is R3's no longer",
      ['', 'p, 300, R3, admin, *, any, allow'],
      ['3 invariants', 'admin-reads-policy', 'row 999999 (R6)'],
    ],
    [
      'no endpoint row lets an admin in',
      ['', 'p2, admin, *'],
      ['admin-reads-policy', 'no endpoint row lets it through'],
    ],
  ]
  for (const [what, [add, remove], says] of broken) {
    it(`${says[0] === 'was planned' ? 'let through that' : 'refuse that'} ${what}`, async () => {
      const message = await refusal(add, remove)
      for (const part of says) expect(message).to.contain(part)
    })
  }

  it('are read again for every edit, and a file that does not parse refuses every edit', async () => {
    const folder = await makeTemporaryFolder()
    const file = join(folder, 'policies', 'invariants.csv')
    await mkdir(join(folder, 'policies'))
    await copyFile(new URL('model.conf', PACKAGE_ROOT), join(folder, 'model.conf'))
    const shipped = await readFile(new URL('policies/invariants.csv', PACKAGE_ROOT), 'utf8')
    await writeFile(file, shipped)
    const running = await loadPolicyRules(pathToFileURL(`${folder}/`))
    const plan = () =>
      planEdit(
        base,
        { add: csvRows('p, 505, X, viewer, link:read, any, allow'), remove: [] },
        running,
        'unbounded',
      ).then(
        () => 'was planned',
        (error: unknown) =>
          error instanceof Refusal ? error.code : error instanceof PolicyError ? 'is broken' : String(error),
      )
    expect(await plan()).to.equal('was planned')
    await writeFile(file, 'never, viewer-reads-nothing, viewer, link:read, *, a test')
    expect(await plan()).to.equal('invariant_violated')
    await writeFile(file, 'never ever')
    expect([await plan(), await plan()]).to.deep.equal(['is broken', 'is broken'])
    await writeFile(file, shipped)
    expect(await plan()).to.equal('was planned')
  })

  it('are refused as an empty file, as one is that is just being written; a comment says that there are none', () => {
    expect(() => parseInvariants('')).to.throw(PolicyError, 'policies/invariants.csv is empty')
    expect(parseInvariants('# none\n')).to.deep.equal([])
  })

  it('list every violation for programs, with the file to change', async () => {
    const error = await planEdit(
      base,
      { add: [], remove: csvRows('p, 300, R3, admin, *, any, allow') },
      rules,
      'unbounded',
    ).catch((thrown: unknown) => thrown)
    expect(error).to.be.instanceOf(Refusal)
    expect(error).to.have.nested.property('extensions.violations').with.length(3)
    expect(error).to.have.nested.property('extensions.violations[0].file', 'policies/invariants.csv')
    expect(error).to.have.nested.property('extensions.violations[0].row.priority', 999_999)
  })

  it('cover a role and an action that no row names', async () => {
    const open = await buildSnapshot(1, rules.model, csvRows('p, 1, X, user, *, any, allow'))
    const invariants = parseInvariants(
      'never, clerks-pay-nothing, clerk, payment:send, *, why\nalways, auditors-read, auditor, audit:read, *, why\n',
    )
    expect(
      (await findViolations(open, invariants)).map(({ invariant, cell }) => [invariant.name, cell.role, cell.action]),
    ).to.deep.equal([
      ['clerks-pay-nothing', 'clerk', 'payment:send'],
      ['auditors-read', 'auditor', 'audit:read'],
    ])
  })

  for (const line of [
    'neither, x, admin, *, *, w',
    'never, X, admin, *, *, w',
    'never, x, !, *, *, w',
    'never, x, anyone, *, *, w',
    'never, x, admin, link, *, w',
    'never, x, admin, *, mine, w',
    'always, x, admin, policy:read, anonymous, w',
    'never, x, anonymous, link:update, own, w',
    'never, x, !anonymous, link:update, anonymous, w',
    'never, x',
    'never, "x, y"',
  ]) {
    it(`are refused whole for the line "${line}"`, () => {
      expect(() => parseInvariants(`never, fine, anonymous, link:create, *, fine\n${line}\n`)).to.throw(
        PolicyError,
        'line 2',
      )
    })
  }
})
