import { expect } from 'chai'

import { parseRow, parseRowTexts, rowTexts } from '../../src/policy/parse-row.js'

const OBJECT = {
  ptype: 'p',
  priority: 10,
  rule: 'R1',
  role: 'editor',
  action: 'link:update',
  reach: 'own',
  effect: 'allow',
}
const ENDPOINT = { ptype: 'p2', role: 'editor', action: 'link:update' }
const INHERITANCE = { ptype: 'g', role: 'editor', inherits: 'viewer' }

/** Values that mean something to CSV, to the adapter's removals, to Casbin, to JavaScript or to the eye. */
const HOSTILE: readonly (readonly [name: string, value: unknown])[] = [
  ['a comma', 'editor, link:read'],
  ['a quote', 'ed"itor'],
  ['a quoted text', '"editor"'],
  ['a newline', 'editor\n'],
  ['a carriage return', 'editor\r'],
  ['a comment sign', '#editor'],
  ['a pattern of the adapter', 'regex:.*'],
  ['another pattern of the adapter', 'like:%'],
  ['an empty text', ''],
  ['a blank', ' editor'],
  ['a tab', 'editor\t'],
  ['a NUL', 'editor\0'],
  ['a prototype', '__proto__'],
  ['a constructor in capitals', 'Constructor'],
  ['a very long text', 'e'.repeat(100_000)],
  ['one letter too many', 'e'.repeat(33)],
  ['a Cyrillic look-alike', '\u0435ditor'],
  ['a full-width letter', 'ｅditor'],
  ['a combining mark', 'e\u0301ditor'],
  ['a zero-width space', 'editor\u200b'],
  ['a byte order mark', '\ufeffeditor'],
  ['a right-to-left mark', '\u202eeditor'],
  ['a number', 7],
  ['true', true],
  ['null', null],
  ['nothing', undefined],
  ['a list', ['editor']],
  ['an object', { toString: () => 'editor' }],
  ['a star in a word', 'edit*'],
  ['an expression', 'eval(true)'],
  ['a function of Casbin', 'keyMatch(r, p)'],
  ['a dash first', '-editor'],
  ['a capital', 'Editor'],
]

const faultsOf = (input: unknown) => {
  const row = parseRow(input)
  return row.ok ? [] : row.faults.map(({ field }) => field)
}

describe('parseRow', () => {
  it('reads the three kinds of rows', () => {
    for (const row of [OBJECT, ENDPOINT, INHERITANCE]) expect(parseRow(row)).to.deep.equal({ ok: true, value: row })
  })

  for (const [name, value] of HOSTILE) {
    it(`refuses ${name} in every field, and names the field`, () => {
      for (const row of [OBJECT, ENDPOINT, INHERITANCE]) {
        for (const field of Object.keys(row)) {
          if (field === 'priority' && value === 7) continue
          expect(faultsOf({ ...row, [field]: value }), `${row.ptype}.${field}`).to.deep.equal([field])
        }
      }
    })
  }

  it('takes * as an action and nowhere else', () => {
    expect(parseRow({ ...OBJECT, action: '*' }).ok).to.equal(true)
    expect(parseRow({ ...ENDPOINT, action: '*' }).ok).to.equal(true)
    for (const field of ['priority', 'rule', 'role', 'reach', 'effect'])
      expect(faultsOf({ ...OBJECT, [field]: '*' })).to.deep.equal([field])
    expect(faultsOf({ ...INHERITANCE, inherits: '*' })).to.deep.equal(['inherits'])
  })

  it('refuses an action whose resource the adapter would read as a pattern', () => {
    for (const action of ['regex:x', 'like:x', 'regex:update']) {
      expect(faultsOf({ ...OBJECT, action })).to.deep.equal(['action'])
      expect(faultsOf({ ...ENDPOINT, action })).to.deep.equal(['action'])
    }
  })

  it('takes names like constructor as plain names', () => {
    expect(parseRow({ ...ENDPOINT, role: 'constructor' })).to.deep.equal({
      ok: true,
      value: { ...ENDPOINT, role: 'constructor' },
    })
    expect(parseRow({ ...INHERITANCE, role: 'valueof' }).ok).to.equal(true)
  })

  it('takes integers from 1 to 999,999,999 as priority', () => {
    for (const priority of [1, 9, 10, 999_999_999]) expect(parseRow({ ...OBJECT, priority }).ok).to.equal(true)
    for (const priority of [0, -1, 1.5, 1_000_000_000, Number.NaN, Infinity, 2 ** 53, '10', '1e3'])
      expect(faultsOf({ ...OBJECT, priority })).to.deep.equal(['priority'])
  })

  it('lets no role of the engine inherit, and only user be inherited from', () => {
    for (const role of ['anonymous', 'anyone', 'user'])
      expect(faultsOf({ ...INHERITANCE, role })).to.deep.equal(['role'])
    for (const inherits of ['anonymous', 'anyone'])
      expect(faultsOf({ ...INHERITANCE, inherits })).to.deep.equal(['inherits'])
    expect(parseRow({ ...INHERITANCE, inherits: 'user' }).ok).to.equal(true)
    expect(faultsOf({ ...INHERITANCE, inherits: 'editor' })).to.deep.equal(['inherits'])
  })

  it('says of an unknown field that such a row has none of its name', () => {
    const row = parseRow({ ...ENDPOINT, effect: 'allow' })
    expect(row).to.deep.equal({ ok: false, faults: [{ field: 'effect', message: 'is not a field of such a row' }] })
  })

  it('refuses unknown fields, __proto__ and constructor too', () => {
    expect(faultsOf({ ...ENDPOINT, effect: 'allow' })).to.deep.equal(['effect'])
    expect(
      faultsOf(JSON.parse('{"ptype":"p2","role":"editor","action":"link:read","__proto__":{"role":"admin"}}')),
    ).to.deep.equal(['__proto__'])
    expect(faultsOf({ ...ENDPOINT, constructor: 1 })).to.deep.equal(['constructor'])
  })

  it('refuses anything but an object', () => {
    for (const input of [null, undefined, 'p', 1, [], [OBJECT]]) expect(faultsOf(input)).to.deep.equal([''])
  })

  it('names every faulty field at once', () => {
    expect(
      faultsOf({ ptype: 'p', priority: 0, rule: 'r', role: 'R', action: 'x', reach: 'all', effect: 'Allow' }),
    ).to.deep.equal(['priority', 'rule', 'role', 'action', 'reach', 'effect'])
  })
})

describe('parseRowTexts', () => {
  it('reads back what rowTexts writes', () => {
    for (const input of [OBJECT, ENDPOINT, INHERITANCE]) {
      const row = parseRow(input)
      if (!row.ok) throw new Error('must parse')
      expect(parseRowTexts(row.value.ptype, rowTexts(row.value))).to.deep.equal(row)
    }
  })

  it('takes the canonical text of an integer for a priority and no other', () => {
    for (const text of ['010', '1e3', ' 7', '7 ', '+7', '0x7', '7.0', '１', '', '1000000000', '99999999999999999999']) {
      expect(parseRowTexts('p', [text, 'R1', 'editor', 'link:read', 'any', 'allow']).ok, text).to.equal(false)
    }
  })

  it('refuses a row with a field too many or too few', () => {
    expect(parseRowTexts('p', ['1', 'R1', 'editor', 'link:read', 'any']).ok).to.equal(false)
    expect(parseRowTexts('p', ['1', 'R1', 'editor', 'link:read', 'any', 'deny', 'allow']).ok).to.equal(false)
    expect(parseRowTexts('p2', ['editor']).ok).to.equal(false)
    expect(parseRowTexts('__proto__', []).ok).to.equal(false)
  })
})
