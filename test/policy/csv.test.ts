import { expect } from 'chai'
import * as fc from 'fast-check'

import { formatPolicyCsv, parsePolicyCsv } from '../../src/policy/csv.js'
import { rowText } from '../../src/policy/parse-row.js'
import { PolicyError } from '../../src/policy/policy-error.js'
import { policyRows } from '../support/policy.js'

/** The faults that the file is refused for. */
const faultsOf = (text: string): readonly string[] => {
  try {
    parsePolicyCsv('rows.csv', text)
    return []
  } catch (error) {
    if (!(error instanceof PolicyError)) throw error
    expect(error.message).to.match(/^rows\.csv: /)
    return error.message.replace('rows.csv: ', '').split(/; (?=line)/)
  }
}

describe('policy CSV', () => {
  it('reads back every set of rows that it writes', () => {
    fc.assert(
      fc.property(policyRows, (rows) => {
        const read = parsePolicyCsv('rows.csv', formatPolicyCsv(rows))
        expect(read.map(rowText).sort()).to.deep.equal(rows.map(rowText).sort())
      }),
      { numRuns: 500 },
    )
  })

  it('skips comments and empty lines, trims, and takes CRLF and a byte order mark', () => {
    expect(
      parsePolicyCsv(
        'rows.csv',
        '\ufeff# a comment, with "quotes\r\n\r\n  p2 ,  editor,link:read\r\n# p2, admin, *\r\n',
      ),
    ).to.deep.equal([{ ptype: 'p2', role: 'editor', action: 'link:read' }])
  })

  it('names line and field of every fault', () => {
    const faults = faultsOf(
      '# rows\np, 1, R1, editor, link:read, any, allow\n\np, 2, R1, Editor, link:read, all, allow\nq, x\n',
    )
    expect(faults.map((fault) => fault.replace(/: .*/, ''))).to.deep.equal([
      'line 4, role',
      'line 4, reach',
      'line 5, ptype',
    ])
  })

  it('takes no quoted comma or newline for a separator', () => {
    expect(faultsOf('p2, "editor, link:read"\n')).to.have.length(1)
    expect(faultsOf('p2, "editor\np2, admin", *\n')).to.have.length(1)
    expect(faultsOf('p2, editor, "link:read\n')).to.have.length(1)
  })

  it('refuses a comment sign behind a row', () => {
    expect(faultsOf('p2, editor, link:read # fine\n')).to.have.length(1)
  })

  it('refuses a row without effect', () => {
    expect(faultsOf('p, 1, R1, editor, link:read, any\n')).to.deep.equal([
      'line 1: a p row has the fields priority, rule, role, action, reach, effect; this one has 5',
    ])
  })

  it('refuses a row or a priority that stands there twice, naming both lines', () => {
    expect(faultsOf('p2, editor, *\np2, editor, *\n')).to.deep.equal(['line 2: is the same row as line 1'])
    expect(
      faultsOf('p, 1, R1, editor, link:read, any, allow\n#\np, 1, R1, editor, link:read, any, deny\n'),
    ).to.deep.equal(['line 3, priority: is also the priority of line 1'])
  })
})
