import { expect } from 'chai'

import { Refusal } from '../../../src/domain/refusal.js'
import { parseScope, requireScope } from '../../../src/layers/1-gateway/scope.js'

const refusal = (granted: string, needed: string): Refusal | null => {
  try {
    requireScope({ scopes: parseScope(granted) ?? new Set() }, needed)
    return null
  } catch (error) {
    if (error instanceof Refusal) return error
    throw error
  }
}

describe('the scopes of a token', () => {
  it('grant what they spell out', () => {
    expect(refusal('link:read link:delete', 'link:delete')).to.equal(null)
  })

  for (const granted of [
    '',
    'link:read',
    'LINK:DELETE',
    'Link:Delete',
    'link:*',
    '*',
    'link',
    'link:',
    'link:delet',
    'link:delete2',
    'xlink:delete',
    'link:delete:own',
    'link:delete,link:read',
    'link.delete',
    'admin',
    '.*',
    '__proto__',
  ]) {
    it(`${JSON.stringify(granted)} do not grant link:delete`, () => {
      expect(refusal(granted, 'link:delete')).to.include({ code: 'insufficient_scope', status: 403 })
    })
  }

  it('that do not suffice are answered with the challenge of RFC 6750, naming what is needed', () => {
    expect(refusal('link:read', 'link:delete')?.headers).to.deep.equal({
      'WWW-Authenticate': 'Bearer realm="linkgate", error="insufficient_scope", scope="link:delete"',
    })
  })
})

describe('a scope text', () => {
  it('is a set of names', () => {
    expect(parseScope('b a b')).to.deep.equal(new Set(['b', 'a']))
    expect(parseScope('')).to.deep.equal(new Set())
  })

  for (const text of [' ', ' a', 'a ', 'a  b', 'a\tb', 'a\nb', 'a"b', 'a\\b', 'é', 'a\u0000']) {
    it(`is refused as ${JSON.stringify(text)}`, () => {
      expect(parseScope(text)).to.equal(null)
    })
  }
})
