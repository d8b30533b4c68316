import { expect } from 'chai'
import * as fc from 'fast-check'

import { slotsOf, widthOf } from '../../src/console/parts/matrix/columns.js'
import { WHOLE, findNames } from '../../src/console/parts/matrix/find-names.js'
import { answerOf, buildMatrix } from '../../src/console/parts/matrix/matrix-model.js'
import { move } from '../../src/console/parts/matrix/move.js'
import type { Cell, Outcome } from '../../src/domain/decision-table.js'

const allow: Outcome = { effect: 'allow', rule: 'R1', endpoint: 'allow' }
const deny: Outcome = { effect: 'deny', rule: 'R6', endpoint: 'allow' }

const both = (role: string, action: string, own: Outcome, other = own): readonly Cell[] => [
  { role, action, relation: 'own', ...own },
  { role, action, relation: 'other', ...other },
]
const CELLS: readonly Cell[] = [
  ...['a:read', 'a:write', '*'].map((action): Cell => ({ role: 'anonymous', action, relation: 'anonymous', ...deny })),
  ...['a:read', 'a:write', '*'].flatMap((action) => both('admin', action, allow)),
  ...both('editor', 'a:read', allow),
  ...both('editor', 'a:write', allow, deny),
  ...both('editor', '*', deny),
  ...both('user', 'a:read', allow),
  ...both('user', 'a:write', deny),
  ...both('user', '*', deny),
]

describe('the matrix', () => {
  it('has one cell where own and other’s are alike, and one column for a role that never tells them apart', () => {
    const { roles, at } = buildMatrix(CELLS)
    expect(roles).to.deep.equal([
      { role: 'anonymous', relations: ['anonymous'] },
      { role: 'admin', relations: ['own'] },
      { role: 'editor', relations: ['own', 'other'] },
      { role: 'user', relations: ['own'] },
    ])
    expect(at('admin', 'a:read').map(({ span }) => span)).to.deep.equal([1])
    expect(at('editor', 'a:read').map(({ span }) => span)).to.deep.equal([2])
    expect(at('editor', 'a:write').map(({ relation, now }) => [relation, now.effect])).to.deep.equal([
      ['own', 'allow'],
      ['other', 'deny'],
    ])
  })

  it('has its roles in the order in which people count, and new ones after them', () => {
    const named = ['anonymous', 'admin', 'team1', 'team10', 'team2', 'user']
    const fresh = { role: 'team9', action: 'a:read', relation: 'own', before: deny, after: allow } as const
    expect(
      buildMatrix(
        named.flatMap((role) => both(role, 'a:read', deny)),
        [fresh],
      ).roles.map(({ role }) => role),
    ).to.deep.equal(['anonymous', 'admin', 'team1', 'team2', 'team10', 'team9', 'user'])
  })

  it('covers each role’s columns in every row, whatever the table and the changes', () => {
    const outcome = fc.constantFrom(allow, deny, { ...allow, endpoint: 'deny' } satisfies Outcome)
    const table = fc.array(fc.record({ own: outcome, other: outcome }), { minLength: 9, maxLength: 9 })
    fc.assert(
      fc.property(table, outcome, outcome, (answers, before, after) => {
        const actions = ['a:read', 'a:write', '*']
        const cells = ['editor', 'clerk', 'user'].flatMap((role, i) =>
          actions.flatMap((action, j) => {
            const { own, other } = answers[i * 3 + j] ?? { own: allow, other: deny }
            return both(role, action, own, other)
          }),
        )
        const question = { role: 'clerk', action: 'b:new', relation: 'own' } as const
        const matrix = buildMatrix(cells, [{ ...question, before, after }])
        expect(matrix.actions).to.deep.equal(['a:read', 'a:write', 'b:new', '*'])
        for (const { role, relations } of matrix.roles)
          for (const action of matrix.actions)
            expect(matrix.at(role, action).reduce((sum, { span }) => sum + span, 0)).to.equal(relations.length)
      }),
    )
  })

  it('shows what an edit changes, and answers a role that only the edit names as any other', () => {
    const matrix = buildMatrix(CELLS, [
      { role: 'auditor', action: 'a:write', relation: 'own', before: deny, after: allow },
      { role: 'editor', action: 'a:read', relation: 'other', before: allow, after: deny },
    ])
    expect(matrix.roles.map(({ role }) => role)).to.deep.equal(['anonymous', 'admin', 'editor', 'auditor', 'user'])
    expect(matrix.at('auditor', 'a:write').map(({ before, now }) => [before?.effect, now.effect])).to.deep.equal([
      ['deny', 'allow'],
      [undefined, 'deny'],
    ])
    expect(matrix.at('auditor', 'a:read')[0]).to.deep.include({ before: null, span: 2, now: allow })
    expect(matrix.at('editor', 'a:read')).to.have.length(2)
    expect(matrix.isChanged('editor', 'a:read')).to.equal(true)
    expect(matrix.isChanged('editor', 'a:write')).to.equal(false)
  })

  it('denies where the rows allow what the endpoint does not let the role ask', () => {
    expect(answerOf({ effect: 'allow', rule: 'R1', endpoint: 'deny' })).to.deep.equal({ effect: 'deny', by: null })
    expect(answerOf({ effect: 'deny', rule: 'R6', endpoint: 'deny' })).to.deep.equal({ effect: 'deny', by: 'R6' })
  })

  it('is walked by keys: over wide cells as one, and never out of itself', () => {
    const matrix = buildMatrix(CELLS)
    const at = (role: string, action: string, relation: 'own' | 'other' | 'anonymous') => ({ role, action, relation })
    const press = (from: ReturnType<typeof at>, key: string, ctrlKey = false) =>
      move(matrix, matrix, from, { key, ctrlKey })
    expect(press(at('editor', 'a:write', 'own'), 'ArrowRight')).to.deep.equal(at('editor', 'a:write', 'other'))
    expect(press(at('editor', 'a:write', 'other'), 'ArrowUp')).to.deep.equal(at('editor', 'a:read', 'own'))
    expect(press(at('editor', 'a:read', 'own'), 'ArrowRight')).to.deep.equal(at('user', 'a:read', 'own'))
    expect(press(at('anonymous', 'a:read', 'anonymous'), 'ArrowLeft')).to.deep.equal(
      at('anonymous', 'a:read', 'anonymous'),
    )
    expect(press(at('admin', 'a:write', 'own'), 'End')).to.deep.equal(at('user', 'a:write', 'own'))
    expect(press(at('admin', 'a:write', 'own'), 'Home', true)).to.deep.equal(at('anonymous', 'a:read', 'anonymous'))
    expect(press(at('admin', 'a:read', 'own'), 'PageDown')).to.deep.equal(at('admin', '*', 'own'))
    expect(press(at('admin', 'a:read', 'own'), 'a')).to.equal(null)
  })

  it('draws the roles in sight and the one to keep, and leaves the others’ room', () => {
    const roles = Array.from({ length: 200 }, (_, i) => ({
      role: `role-${i}`,
      relations: i % 3 === 0 ? (['own'] as const) : (['own', 'other'] as const),
    }))
    const whole = roles.reduce((sum, role) => sum + widthOf(role), 0)
    for (const from of [0, 5_000, whole - 1_000]) {
      const slots = slotsOf(roles, { from, to: from + 1_000 }, 'role-150')
      const drawn = slots.flatMap((slot) => (slot.is === 'role' ? [slot] : []))
      const room = slots.reduce((sum, slot) => sum + (slot.is === 'gap' ? slot.width : widthOf(slot.role)), 0)
      expect(room).to.equal(whole)
      expect(drawn.length).to.be.within(5, 30)
      expect(drawn.map(({ role }) => role.role)).to.include('role-150')
      expect(new Set(slots.map((slot) => (slot.is === 'gap' ? slot.key : slot.role.role))).size).to.equal(slots.length)
    }
  })

  it('is searched by names of roles and actions, with pinned roles first', () => {
    const [roles, actions] = [
      ['admin', 'editor', 'clerk'],
      ['link:read', 'link:delete', '*'],
    ]
    const find = (text: string, pinned: readonly string[] = []) =>
      findNames(roles, actions, { ...WHOLE, find: text, pinned })
    expect(find('')).to.deep.equal({ roles, actions })
    expect(find('delete')).to.deep.equal({ roles, actions: ['link:delete'] })
    expect(find('Editor delete')).to.deep.equal({ roles: ['editor'], actions: ['link:delete'] })
    expect(find('editor', ['clerk'])).to.deep.equal({ roles: ['clerk', 'editor'], actions })
    expect(find('nobody')).to.deep.equal({ roles: [], actions: [] })
  })
})
