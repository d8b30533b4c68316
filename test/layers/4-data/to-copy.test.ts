import { expect } from 'chai'
import * as fc from 'fast-check'

import { knex, toCopy } from '../../../src/layers/4-data/query.js'

describe('a COPY, which takes no parameters', () => {
  const copyWhere = (value: string | number | null | boolean | Date) =>
    toCopy(knex('links').select('code').where('id', '>', value), 'csv')

  it('holds texts and numbers as literals', () => {
    for (const [value, literal] of [
      ['9223372036854775807', `'9223372036854775807'`],
      [0, `'0'`],
      [`' or true --`, `''' or true --'`],
      [String.raw`\' or true --`, String.raw` E'\\'' or true --'`],
      ['$1 ?', `'$1 ?'`],
    ] as const)
      expect(copyWhere(value)).to.equal(
        `copy (select "code" from "links" where "id" > ${literal}) to stdout (format csv)`,
      )
  })

  it('holds nothing else', () => {
    fc.assert(
      fc.property(fc.oneof(fc.boolean(), fc.date()), (value) => {
        expect(() => copyWhere(value)).to.throw('texts and numbers alone')
      }),
    )
  })
})
