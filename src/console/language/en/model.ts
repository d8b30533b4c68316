export const model = {
  lead: 'The rule language. What the rows mean is said here, and nowhere else. Only the operator can change this file.',
  text: 'model.conf, definition by definition',
  unknown: 'A definition of this installation.',
  definitions: {
    r:
      'The question about a record has three parts: who asks (sub: their role and their id), what ' +
      'they want (act), and the record (obj: its owner).',
    r2: 'The question before it has two: the role of the caller, and the action of the endpoint that they call.',
    p:
      'An object row has these fields, in this order. Its first, the priority, is its place in the ' +
      'list; eft is allow or deny.',
    p2:
      'An endpoint row: this role may call this endpoint at all. There is no row that denies; what no ' +
      'row allows is denied.',
    g: 'An inheritance row: the first role has every row of the second, over as many rows as it takes.',
    e:
      'Of the object rows that match, the one with the smallest priority answers. Where none matches, ' +
      'the answer is deny.',
    e2: 'One endpoint row that matches is enough.',
    m:
      'When an object row matches: its role fits, and its action fits, and its reach fits. Whoever ' +
      'has no id owns nothing.',
    m2: 'When an endpoint row matches: its role fits, and its action fits. It knows of no record.',
  },
  walk: 'A question, walked through the matchers',
  walkLead: 'Rows are tried in their order. Unfold one to see what became of each part of the matcher.',
  walkIt: 'Walk it',
  first: 'First m2: may the role ask at all?',
  second: 'Then m: what does the first row say that matches?',
  before: (count: string) =>
    count === '1' ? '1 row before these does not match.' : `${count} rows before these do not match.`,
  after: (count: string) =>
    count === '1' ? '1 row after it is not reached.' : `${count} rows after it are not reached.`,
  matches: 'matches',
  noMatch: 'does not match',
  values: { true: 'true', false: 'false', unseen: 'not looked at' },
  notRead: 'This matcher is written in a way that cannot be walked here. The service decides by it all the same.',
}
