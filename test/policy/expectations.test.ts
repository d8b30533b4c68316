import { readFile } from 'node:fs/promises'

import { expect } from 'chai'

import { PACKAGE_ROOT } from '../../src/config.js'
import { describeUnmet, effectOfFile, findUnmet, parseExpectations } from '../../src/policy/expectations.js'
import { PolicyError } from '../../src/policy/policy-error.js'
import { buildSnapshot } from '../../src/policy/snapshot.js'
import { csvRows, interpret, rowsOf, shippedRules } from '../support/policy.js'

describe('expectation files', () => {
  for (const answer of ['allow', 'deny'] as const) {
    const file = `${answer}.csv`
    it(`hold for the shipped rows (policies/${file}), and for the interpreter`, async () => {
      const { model } = await shippedRules()
      const rows = await rowsOf('default.csv')
      const questions = parseExpectations(
        file,
        answer,
        await readFile(new URL(`policies/${file}`, PACKAGE_ROOT), 'utf8'),
      )
      expect(questions.length).to.be.greaterThan(15)
      expect(findUnmet(await buildSnapshot(1, model, rows), questions)).to.deep.equal([])
      for (const { role, action, relation, effect } of questions)
        expect(interpret(rows, role, action, relation).effect).to.equal(effect)
    })
  }

  it('take the required answer from the name of the file', () => {
    expect(
      [
        'allow.csv',
        'a/b/deny.csv',
        'clerks-allow.csv',
        'x.deny.csv',
        'disallow.csv',
        'allow.csv.bak',
        'questions.csv',
        'deny/x.csv',
      ].map(effectOfFile),
    ).to.deep.equal(['allow', 'deny', 'allow', 'deny', null, null, null, null])
  })

  it('name the row that decided otherwise, or that no endpoint row lets the role in', async () => {
    const { model } = await shippedRules()
    const snapshot = await buildSnapshot(
      1,
      model,
      csvRows('p, 540, R5, user, link:delete, any, deny\np, 600, X, editor, link:read, any, allow\n'),
    )
    const unmet = (answer: 'allow' | 'deny', text: string) =>
      findUnmet(snapshot, parseExpectations(`${answer}.csv`, answer, text)).map(describeUnmet)
    expect(
      unmet(
        'allow',
        'editor, link:delete, other, editors moderate\neditor, link:read, own, R1\nviewer, doc:sign, own\n',
      ),
    ).to.deep.equal([
      "editor link:delete on another's record must be allow, but is deny: row 540 (R5) [allow.csv:1, editors moderate]",
      'editor link:read on an own record must be allow, but no endpoint row lets the role in [allow.csv:2, R1]',
      'viewer doc:sign on an own record must be allow, but is deny: no row matches [allow.csv:3]',
    ])
    expect(unmet('deny', 'editor, link:read, own, why, with a comma\n')).to.deep.equal([
      'editor link:read on an own record must be deny, but is allow: row 600 (X) [deny.csv:1, why, with a comma]',
    ])
  })

  for (const line of [
    'Editor, link:read, own',
    'anyone, link:read, other',
    'editor, link, own',
    'editor, link:read, mine',
    'editor, link:read, anonymous',
    'anonymous, link:read, own',
    'editor',
  ]) {
    it(`are refused whole for the line "${line}"`, () => {
      expect(() => parseExpectations('allow.csv', 'allow', `# fine\neditor, link:read, own\n${line}\n`)).to.throw(
        PolicyError,
        'line 3',
      )
    })
  }
})
