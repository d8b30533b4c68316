import { expect } from 'chai'
import * as fc from 'fast-check'

import { formatPolicyCsv, parsePolicyCsv } from '../../src/policy/csv.js'
import { CommentText } from '../../src/policy/comment-text.js'
import { NO_COMMENTS, editedComments, type CommentedRows } from '../../src/policy/comments.js'
import { TITLE } from '../../src/policy/csv-headings.js'
import { rowText } from '../../src/policy/parse-row.js'
import { PolicyError } from '../../src/policy/policy-error.js'
import { csvRows, policyRows } from '../support/policy.js'

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

const read = (text: string) => parsePolicyCsv('rows.csv', text)
const textsOf = ({ comments }: CommentedRows) =>
  Object.fromEntries([...comments].map(([row, { comment }]) => [row, comment]))

const ENDS = ['\n', '\r', '\r\n', '\n\n', '\u2028', '\ufeff', '\0', '\ud800']
const SIGNS = ['#', '# ', '"', "'", ',', ', ', ';', '\t', '=', '+', '-', '@', ' ', ',=1+1', ';"@x', ",'=x"]
const LINES = ['p2, admin, *', '\np2, clerk, *', TITLE, 'ptype, role, action']

/** What would break out of a comment, if anything did, among other text. */
const hostile = fc
  .array(
    fc.oneof(
      { arbitrary: fc.string({ unit: 'binary', maxLength: 12 }), weight: 1 },
      { arbitrary: fc.constantFrom(...ENDS, ...SIGNS, ...LINES), weight: 3 },
    ),
    { maxLength: 12 },
  )
  .map((parts) => parts.join(''))

describe('policy CSV', () => {
  it('reads back every set of rows that it writes, with every comment that a row can have', () => {
    const commented = fc.tuple(policyRows, fc.array(fc.option(hostile), { minLength: 16, maxLength: 16 }))
    fc.assert(
      fc.property(commented, ([rows, texts]) => {
        const edited = rows.map((row, i) => {
          const comment = CommentText.safeParse(texts[i] ?? '')
          return { row, comment: (comment.success && comment.data) || null }
        })
        const comments = editedComments(NO_COMMENTS, edited)
        const text = formatPolicyCsv({ rows, comments })
        const again = read(text)
        expect(again.rows.map(rowText).sort()).to.deep.equal(rows.map(rowText).sort())
        expect(textsOf(again)).to.deep.equal(textsOf({ rows, comments }))
        expect(formatPolicyCsv({ rows, comments: again.comments })).to.equal(text)
      }),
      { numRuns: 2_000 },
    )
  })

  it('keeps every text within its comment, even one that somebody stored by hand', () => {
    fc.assert(
      fc.property(hostile, (stored) => {
        const comment = stored.replaceAll('\0', '')
        const rows = csvRows('p2, clerk, link:read\np2, viewer, link:read')
        const comments = editedComments(
          NO_COMMENTS,
          rows.map((row) => ({ row, comment })),
        )
        const text = formatPolicyCsv({ rows, comments })
        const bare = text.split(/[\r\n]/).filter((line) => line !== '' && !line.startsWith('#'))
        expect(bare).to.deep.equal(rows.map(rowText))
        // the cells that a spreadsheet would make of it
        for (const cell of text.split(/[,;\t\n\r]/)) expect(cell.replace(/^\s*"?/, '')).not.to.match(/^[=+\-@]/)
      }),
      { numRuns: 2_000 },
    )
  })

  it('takes the comment lines directly above a row for its comment, and no others', () => {
    const { comments, rows } = read(
      '# of nobody\n\n#   first\n#\n# "second", of the same\np2, editor, link:read\np2, viewer, link:read\n' +
        "#of the next, '=1\n  p2, clerk, link:read\n# of nobody\n\n# ptype, role, inherits\ng, clerk, viewer\n# last\n",
    )
    expect(rows).to.have.length(4)
    expect(textsOf({ rows, comments })).to.deep.equal({
      'p2, editor, link:read': 'first\n\n"second", of the same',
      'p2, clerk, link:read': 'of the next, =1',
    })
    expect(textsOf(read('\ufeff# one\r\n# two\r\np2, clerk, link:read\r\n'))).to.deep.equal({
      'p2, clerk, link:read': 'one\ntwo',
    })
  })

  it('names the line of a row whose comment is too long', () => {
    expect(faultsOf(`p2, clerk, link:read\n# ${'x'.repeat(501)}\np2, viewer, link:read\n`)[0]).to.match(
      /^line 3, the comment above: must have at most 500 characters/,
    )
    expect(faultsOf(`# ${'x'.repeat(501)}\n\np2, viewer, link:read\n`)).to.deep.equal([])
  })

  it('skips comments and empty lines, trims, and takes CRLF and a byte order mark', () => {
    expect(
      read('\ufeff# a comment, with "quotes\r\n\r\n  p2 ,  editor,link:read\r\n# p2, admin, *\r\n').rows,
    ).to.deep.equal([{ ptype: 'p2', role: 'editor', action: 'link:read' }])
  })

  it('loses no line between the line endings of two systems', () => {
    const row = (action: string) => ({ ptype: 'p2', role: 'editor', action })
    expect(
      read('# of one\r\np2, editor, a:b\r\n# of another\np2, editor, c:d\np2, editor, e:f\r\np2, editor, g:h\r').rows,
    ).to.deep.equal(['a:b', 'c:d', 'e:f', 'g:h'].map(row))
    expect(faultsOf('p2, editor, a:b\r\n\np2, x\r\n')).to.deep.equal(faultsOf('p2, editor, a:b\n\np2, x\n'))
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
