import { expect } from 'chai'
import * as fc from 'fast-check'

import { parseStrictJson } from '../../src/input/strict-json.js'

const parse = (text: string, maxDepth = 32) => parseStrictJson(text, { maxDepth })

describe('strict JSON', () => {
  it('reads what JSON.parse reads', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 5 }), (text) => {
        expect(parse(text)).to.deep.equal({ ok: true, value: JSON.parse(text) })
      }),
    )
  })

  for (const [text, path] of [
    ['{"a":1,"a":2}', 'a'],
    ['{"role":"viewer","r\\u006fle":"admin"}', 'role'],
    ['{"a":{"b":[{},{"c":1,"d":2,"c":3}]}}', 'a.b.1.c'],
    ['{"__proto__":1,"__proto__":2}', '__proto__'],
    ['{"\\u005f_proto__":1,"__proto__":2}', '__proto__'],
    ['[[0,{"":1,"":2}]]', '0.1.'],
    ['{"😀":1,"\\ud83d\\ude00":2}', '😀'],
  ] as const) {
    it(`names the duplicate member of ${text}`, () => {
      expect(parse(text)).to.deep.equal({ ok: false, fault: 'duplicate', path })
    })
  }

  it('lets one name stand in several objects, and a value equal a name', () => {
    expect(parse('[{"a":"a"},{"a":{"a":["a","a"]}}]').ok).to.equal(true)
  })

  for (const text of [
    '',
    ' ',
    '{',
    '}',
    '{"a":1,}',
    '[1,]',
    '{a:1}',
    "{'a':1}",
    '// x\n{}',
    '{"a":1}/* x */',
    '01',
    '+1',
    '.5',
    'NaN',
    '{"a" 1}',
    '{}{}',
    '\ufeff{}',
    '"\u0001"',
    '"\\x41"',
    'undefined',
    '{"a":1,"a":}',
  ]) {
    it(`calls ${JSON.stringify(text)} malformed`, () => {
      expect(parse(text)).to.deep.equal({ ok: false, fault: 'malformed' })
    })
  }

  it('counts levels exactly', () => {
    expect(parse('[[[]]]', 3).ok).to.equal(true)
    expect(parse('[[[[]]]]', 3)).to.deep.equal({ ok: false, fault: 'depth' })
    expect(parse('1', 0)).to.deep.equal({ ok: true, value: 1 })
  })

  it('counts the items of each list exactly, and names the list that has too many', () => {
    const of = (text: string) => parseStrictJson(text, { maxDepth: 32, maxItems: 2 })
    expect(of('{"a":[[1,2],[{"b":"x,y","c":1,"d":2},"[1,2,3]"]]}').ok).to.equal(true)
    expect(of('[1,2,3]')).to.deep.equal({ ok: false, fault: 'length', path: '' })
    expect(of('{"a":[0,{"tags":[1,[],"x"]}]}')).to.deep.equal({ ok: false, fault: 'length', path: 'a.1.tags' })
    expect(parse(`[${'0,'.repeat(10_000)}0]`).ok).to.equal(true)
  })

  it('refuses 100,000 levels without using the stack, closed or not', () => {
    expect(parse('['.repeat(100_000))).to.deep.equal({ ok: false, fault: 'depth' })
    expect(parse(`${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`, 200_000).ok).to.equal(true)
  })

  it('keeps __proto__, constructor and prototype harmless', () => {
    const parsed = parse('{"__proto__":{"role":"admin"},"constructor":{"prototype":{"role":"admin"}},"prototype":1}')
    if (!parsed.ok || typeof parsed.value !== 'object' || parsed.value === null) throw new Error('expected an object')
    expect(Object.getPrototypeOf(parsed.value)).to.equal(Object.prototype)
    expect(Object.keys(parsed.value)).to.deep.equal(['__proto__', 'constructor', 'prototype'])
    expect('role' in {}).to.equal(false)
  })
})
