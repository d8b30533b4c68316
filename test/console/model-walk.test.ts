import { readFile } from 'node:fs/promises'

import { expect } from 'chai'
import * as fc from 'fast-check'

import { PACKAGE_ROOT } from '../../src/config.js'
import { walkMatcher, type Step } from '../../src/console/pages/model/matcher.js'
import { readModel } from '../../src/console/pages/model/model-text.js'
import { walkEndpoint, walkObject } from '../../src/console/pages/model/walk.js'
import { createInheritance } from '../../src/policy/inheritance.js'
import { interpret, interpretEndpoint, policyRows, questionsAbout } from '../support/policy.js'

const NOTHING = { names: {}, inherits: () => false }

describe('the walk through model.conf', () => {
  let model: ReturnType<typeof readModel>
  let text: string
  const valueOf = (key: string) => model.definitions.find((each) => each.key === key)?.value ?? ''
  before(async () => {
    text = await readFile(new URL('model.conf', PACKAGE_ROOT), 'utf8')
    model = readModel(text)
  })

  it('has every definition of the file, with what the file says of it', () => {
    expect(model.definitions.map(({ section, key }) => `${section} ${key}`)).to.deep.equal([
      'request_definition r',
      'request_definition r2',
      'policy_definition p',
      'policy_definition p2',
      'role_definition g',
      'policy_effect e',
      'policy_effect e2',
      'matchers m',
      'matchers m2',
    ])
    for (const { key, value } of model.definitions)
      expect(text)
        .to.match(new RegExp(`^${key}\\s+= `, 'm'))
        .and.contain(value)
    const said = [...model.head, ...model.definitions.flatMap(({ comments }) => comments)].filter(Boolean)
    expect(said).to.deep.equal([...text.matchAll(/^# ?(.+)$/gm)].map(([, comment]) => comment))
  })

  it('gives the answer and the row of the specification, whatever the rows', () => {
    fc.assert(
      fc.property(policyRows, (rows) => {
        const { ancestors } = createInheritance(rows.flatMap((row) => (row.ptype === 'g' ? [row] : [])))
        const inherits = (role: string, other: string) => ancestors(role).has(other)
        for (const question of questionsAbout(rows)) {
          const { role, action, relation } = question
          const name = `${role} ${action} ${relation}`
          expect(walkObject(valueOf('m'), rows, question, inherits).match, name).to.equal(
            interpret(rows, role, action, relation).row,
          )
          expect(walkEndpoint(valueOf('m2'), rows, question, inherits).match !== null, name).to.equal(
            interpretEndpoint(rows, role, action),
          )
        }
      }),
    )
  })

  it('looks no further than it has to, and says what it did not look at', () => {
    const [yes, no] = ['"a" == "a"', '"a" == "b"']
    const values = ({ value, parts }: Step): unknown => (parts.length === 0 ? value : [value, ...parts.map(values)])
    expect(values(walkMatcher(`${yes} || ${no} && ${no}`, NOTHING))).to.deep.equal([true, true, [null, null, null]])
    expect(values(walkMatcher(`(${no} || ${yes}) && !(${no})`, NOTHING))).to.deep.equal([
      true,
      [true, false, true],
      [true, false],
    ])
    expect(values(walkMatcher(`${no} && g("a", "b")`, NOTHING))).to.deep.equal([false, false, null])
  })

  it('shows names as they are, with their values', () => {
    const step = walkMatcher('p.role == "user" && r.sub.role != "anonymous"', {
      ...NOTHING,
      names: { 'p.role': 'user', 'r.sub.role': 'editor' },
    })
    expect(step.parts.map((part) => [part.text, part.filled])).to.deep.equal([
      ['p.role == "user"', '"user" == "user"'],
      ['r.sub.role != "anonymous"', '"editor" != "anonymous"'],
    ])
  })

  it('refuses what is no matcher', () => {
    for (const wrong of ['', 'a', 'a ==', 'a == b c', '(a == b', 'g(a)', 'a == b &&', '$ == a'])
      expect(() => walkMatcher(wrong, NOTHING), wrong).to.throw(SyntaxError)
  })
})
