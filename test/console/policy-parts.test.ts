import { expect } from 'chai'
import * as fc from 'fast-check'

import { inheritedIn, inheritsIn } from '../../src/console/parts/policy/inherits.js'
import { positiveIntegerIn } from '../../src/domain/positive-integer.js'
import { policyRowIn, rowText } from '../../src/console/parts/policy/row.js'
import { countTurned, shownChanges } from '../../src/console/parts/policy/turned.js'
import { questionIn, textsOf } from '../../src/console/pages/explain/question.js'
import type { CellChange, Outcome } from '../../src/domain/decision-table.js'
import { rowText as lineOf } from '../../src/policy/parse-row.js'
import { policyRow } from '../support/policy.js'

const allow: Outcome = { effect: 'allow', rule: 'R1', endpoint: 'allow' }
const deny: Outcome = { effect: 'deny', rule: 'R6', endpoint: 'allow' }
const change = (before: Outcome, after: Outcome, relation: 'own' | 'other' = 'own'): CellChange => ({
  role: 'editor',
  action: 'link:read',
  relation,
  before,
  after,
})

describe('what the pages of the policy are made of', () => {
  it('counts answers that turn apart from those by another rule, and endpoints as what callers get', () => {
    const closed: Outcome = { ...allow, endpoint: 'deny' }
    const changes = [
      change(allow, deny),
      change(deny, allow),
      change(closed, allow),
      change(allow, { ...allow, rule: 'R2' }),
      // nobody gets in before or after
      change(closed, { ...deny, endpoint: 'deny' }),
    ]
    expect(countTurned(changes)).to.deep.equal({ all: 5, toAllow: 2, toDeny: 1, byOtherRule: 2 })
  })

  it('shows answers that turn first, and what changes alike for own and other’s as one', () => {
    const other = { ...allow, rule: 'R2' }
    const shown = shownChanges([
      change(allow, other, 'own'),
      change(allow, deny, 'other'),
      { ...change(allow, deny, 'own'), action: 'link:update' },
      { ...change(allow, deny, 'other'), action: 'link:update' },
    ])
    expect(shown.map(({ action, relation }) => `${action} ${relation}`)).to.deep.equal([
      'link:read other',
      'link:update both',
      'link:read own',
    ])
  })

  it('reads every row that the service sends, and writes it as a file has it', () => {
    fc.assert(
      fc.property(policyRow, (row) => {
        const sent = { ...JSON.parse(JSON.stringify(row)), comment: 'a comment is no part of a row' }
        expect(policyRowIn(sent)).to.deep.equal(row)
        expect(rowText(sent)).to.equal(lineOf(row))
      }),
    )
  })

  it('shows a row outside the vocabulary as it was sent', () => {
    const row = { ptype: 'p2', unreadable: ['<b>', 1] }
    expect(policyRowIn(row)).to.equal(null)
    expect(rowText(row)).to.equal('p2, ["<b>",1]')
  })

  it('knows what roles inherit, over several rows and around loops', () => {
    const rows = [
      ['chief', 'editor'],
      ['editor', 'clerk'],
      ['clerk', 'editor'],
      ['viewer', 'user'],
    ].map(([role = '', inherits = '']) => ({ ptype: 'g' as const, role, inherits }))
    expect(inheritedIn(rows).get('chief')).to.deep.equal(['editor', 'clerk'])
    expect(inheritedIn(rows).has('viewer')).to.equal(false)
    expect(inheritsIn(rows)('viewer', 'user')).to.equal(true)
    expect(inheritsIn(rows)('editor', 'chief')).to.equal(false)
  })

  it('keeps a question in an address, and takes none from an incomplete one', () => {
    for (const question of [
      { about: 'person', user: '7', action: 'link:delete', link: 'launch' },
      { about: 'person', user: '7', action: 'link:delete', link: null },
      { about: 'role', role: 'editor', action: 'link:delete', relation: 'own' },
      { about: 'role', role: 'anonymous', action: 'link:read', relation: 'anonymous' },
    ] as const)
      expect(questionIn(textsOf(question))).to.deep.equal(question)
    expect(questionIn({ user: '7' })).to.equal(null)
    expect(questionIn({ action: 'link:read' })).to.equal(null)
    expect(questionIn({ role: 'editor', action: 'link:read', relation: 'anonymous' })).to.include({ relation: 'other' })
  })

  it('takes only numbers of revisions from an address', () => {
    expect(['42', '0', '-1', '1e3', '042', '', undefined].map(positiveIntegerIn)).to.deep.equal([
      42,
      ...Array(6).fill(null),
    ])
  })
})
