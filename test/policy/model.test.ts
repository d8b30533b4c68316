import { readFile } from 'node:fs/promises'

import { expect } from 'chai'

import { PACKAGE_ROOT } from '../../src/config.js'
import { parseModel } from '../../src/policy/model.js'
import { PolicyError } from '../../src/policy/policy-error.js'

const OWNER = 'r.sub.id != "" && r.obj.owner_id == r.sub.id'

describe('parseModel', () => {
  let text: string
  before(async () => {
    text = await readFile(new URL('model.conf', PACKAGE_ROOT), 'utf8')
  })

  const changed = (from: string | RegExp, to: string) => {
    const other = text.replace(from, () => to)
    expect(other).not.to.equal(text)
    return other
  }

  it('reads the shipped model and gives its SHA-256', () => {
    expect(parseModel(text).sha256).to.match(/^[0-9a-f]{64}$/)
    expect(parseModel(changed('# who asks', '# Who asks')).sha256).not.to.equal(parseModel(text).sha256)
  })

  const refused: readonly (readonly [what: string, from: string | RegExp, to: string, names: RegExp])[] = [
    [
      'a further field of the request',
      'r  = sub, act, obj',
      'r  = sub, act, obj, time',
      /r must be defined as sub,act,obj/,
    ],
    [
      'a further field of the endpoint request',
      'r2 = role, act',
      'r2 = role, act, ip',
      /r2 must be defined as role,act/,
    ],
    ['object rows without a priority', 'p  = priority, rule,', 'p  = rule,', /p must be defined as priority,rule/],
    ['a further field of the rows', 'reach, eft', 'reach, until, eft', /p must be defined as/],
    [
      'endpoint rows with an effect',
      'p2 = role, action',
      'p2 = role, action, eft',
      /p2 must be defined as role,action/,
    ],
    [
      'the effect "some allow" for object rows',
      'priority(p.eft) || deny',
      'some(where (p.eft == allow))',
      /e must be priority/,
    ],
    [
      'the effect "no deny" for object rows',
      'priority(p.eft) || deny',
      '!some(where (p.eft == deny))',
      /e must be priority/,
    ],
    [
      'another effect for endpoint rows',
      'e2 = some(where (p.eft == allow))',
      'e2 = !some(where (p.eft == deny))',
      /e2 must be some/,
    ],
    [
      "a matcher that looks at the record's code",
      '(p.action == "*"',
      '(r.obj.code == "x" || p.action == "*"',
      /m looks at more/,
    ],
    [
      'a matcher that looks at an id',
      'p.reach == "any" ||',
      'p.reach == "any" || r.sub.id == "1" ||',
      /m looks at more/,
    ],
    [
      'a matcher that tells callers with an id from those without',
      'p.reach == "any" ||',
      '(p.reach == "any" && r.sub.id != "") ||',
      /m looks at more/,
    ],
    ['ownership without the check that there is an id', OWNER, 'r.obj.owner_id == r.sub.id', /m looks at more/],
    ['ownership whose parts are compared with something else', OWNER, `r.sub.role == ${OWNER}`, /m looks at more/],
    ['eval()', 'p.reach == "any" ||', 'eval(p.reach) ||', /m looks at more/],
    ['a function of Casbin', 'p.action == r.act', 'keyMatch(r.act, p.action)', /m looks at more/],
    ['an unknown function', 'p.action == r.act', 'exec(r.act)', /m looks at more/],
    ['a call on a value', 'p.action == r.act', 'r.act.startsWith(p.action)', /m looks at more/],
    ['a constructor', 'p.action == r.act', 'p.action.constructor == r.act', /m looks at more/],
    ['arithmetic', 'p.action == r.act', 'p.action + "" == r.act', /m looks at more/],
    [
      'an endpoint matcher that looks at something else',
      /m2 = .*/,
      'm2 = p2.role == r2.role && r.sub.id == "1"',
      /m2 looks at more/,
    ],
    ['a matcher that lets in a role past the rows', 'm  = (', 'm  = r.sub.role == "admin" || (', /m must begin/],
    [
      'a matcher whose last condition is an alternative',
      'r.obj.owner_id == r.sub.id))',
      'r.obj.owner_id == r.sub.id)) || p.role == "guest"',
      /m must begin/,
    ],
    ['a role of rows that everybody has', 'p.role == "anyone" ||', 'p.role == "guest" ||', /m must begin/],
    ['inheritance the other way', 'g(r.sub.role, p.role)', 'g(p.role, r.sub.role)', /m must begin/],
    ['rows of another action', 'p.action == "*" ||', 'p.action == "any" ||', /m must begin/],
    ['endpoint rows of another role', 'p2.role == "anyone" ||', 'p2.role == "guest" ||', /m2 must begin/],
    ['no object matcher', /^m {2}= .*$/m, '', /model.conf: /],
    ['no endpoint matcher', /^m2 = .*$/m, '', /m2 is not defined/],
    ['no endpoint rows', /^p2 = .*$/m, '', /p2 must be defined/],
    ['no effect for endpoint rows', /^e2 = .*$/m, '', /e2 must be/],
    ['roles in domains', 'g = _, _', 'g = _, _, _', /exactly one role definition/],
    ['a second role definition', 'g = _, _', 'g = _, _\ng2 = _, _', /exactly one role definition/],
    ['roles by another name', 'g = _, _', 'g2 = _, _', /exactly one role definition/],
    ['no roles', 'g = _, _', '', /exactly one role definition/],
    ['a text that Casbin cannot read', '[matchers]', '[matchers', /model\.conf/],
  ]
  for (const [what, from, to, names] of refused) {
    it(`refuses ${what}`, () => {
      expect(() => parseModel(changed(from, to))).to.throw(PolicyError, names)
    })
  }
  it('refuses an empty text', () => {
    expect(() => parseModel('')).to.throw(PolicyError)
  })

  it('takes a stricter matcher over the same terms', () => {
    expect(() =>
      parseModel(changed('p.action == r.act)', 'p.action == r.act) && r.sub.role != "suspended"')),
    ).not.to.throw()
  })
})
