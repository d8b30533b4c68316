import { expect } from 'chai'
import * as fc from 'fast-check'

import { knex, toCopy } from '../../../src/layers/4-data/query.js'

describe('a COPY, which takes no parameters', () => {
  const copyWhere = (value: string | number) =>
    toCopy(knex('links').select('code').where('id', '>', value).limit(10), 'csv')

  it('holds whole numbers', () => {
    expect(copyWhere('9223372036854775807')).to.equal(
      `copy (select "code" from "links" where "id" > '9223372036854775807' limit 10) to stdout (format csv)`,
    )
    expect(copyWhere(0)).to.include('"id" > 0 ')
  })

  it('holds no other value, whatever it is', () => {
    const notDigits = fc
      .oneof(
        fc.string(),
        fc.string({ unit: fc.constantFrom('1', '2', ' ', "'", '\\', '\n', '-', '$', '?', '.') }),
        fc.double(),
      )
      .filter((value) => !/^\d{1,19}$/.test(String(value)))
    fc.assert(
      fc.property(notDigits, (value) => {
        expect(() => copyWhere(value)).to.throw('whole numbers alone')
      }),
    )
  })
})
