/** The comment at the top of an exported file. Headings are not comments of rows. */
export const TITLE =
  'Policy rows. A new installation starts with R1 to R7 of the specification. How to read a row: policies/README.md'

/** The headings of each kind of row, in the order of a file. */
export const HEADINGS: ReadonlyMap<string, readonly string[]> = new Map([
  [
    'p',
    [
      'Object rows. The list is walked from the smallest priority up; the first row that matches decides.',
      'ptype, priority, rule, role, action, reach, effect',
    ],
  ],
  ['p2', ['Endpoint rows: which roles may call an endpoint at all, for some record.', 'ptype, role, action']],
  [
    'g',
    [
      'Inheritance: the role has every row of the role that it inherits. ' +
        '(The engine counts every signed-in role as `user`',
      'in any case; these lines say so where an auditor looks for it.)',
      'ptype, role, inherits',
    ],
  ],
])

const ALL: ReadonlySet<string> = new Set([TITLE, ...[...HEADINGS.values()].flat()])

export const isHeading = (line: string): boolean => ALL.has(line.trim())
