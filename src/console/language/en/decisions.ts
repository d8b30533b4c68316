import type { TermFault } from '../../pages/decisions/meaning'
import type { Tail } from '../../pages/decisions/tail'
import { moment, number } from '../format'

/** What a value of each qualifier is. */
const VALUES: Readonly<Record<string, string>> = {
  user: 'who asked, an address or an id',
  action: 'what was asked for, such as link:delete',
  link: 'a code or an id',
  effect: 'allow or deny',
  since: 'a span such as 7d, 24h or 90m, a day, or a time such as 2026-11-22T16:20',
  until: 'a day or a time such as 2026-11-22T16:20',
  rule: 'a rule, or the code of a refusal',
  layer: 'gateway, endpoint, object or data',
  status: 'such as 403, or 4xx',
  revision: 'a number',
  request: 'a request id',
  kind: 'decision, link, user, policy or audit',
}

const WHATS: Readonly<Record<string, string>> = {
  'user added': 'was added',
  'user changed': 'was changed',
  'user deleted': 'was deleted',
  'user signed in': 'signed in',
  'user signed out': 'signed out',
  'user sign-in refused': 'sign-in refused',
  'user refresh token reused': 'sign-in ended: somebody used a copy of its token',
  'user token signed': 'token signed',
  'user personal token added': 'personal token made',
  'user password link made': 'link for a password made',
  'user password link used': 'link for a password used',
  'user address link made': 'link for an address made',
  'user address link used': 'link for an address used',
  'user invitation withdrawn': 'invitation withdrawn',
  'user subject linked': 'account of an issuer linked',
  'user subject unlinked': 'account of an issuer taken away',
  'link added': 'link was added',
  'link changed': 'link was changed',
  'link deleted': 'link was deleted',
  'policy proposed': 'edit of the policy proposed',
  'policy approved': 'proposal approved',
  'policy declined': 'proposal declined',
  'policy withdrawn': 'proposal withdrawn',
  'audit expired': 'month of the log retired',
}

const FIELDS: Readonly<Record<string, string>> = {
  by: 'By',
  role: 'Role',
  suspended: 'Suspended',
  email: 'Address',
  name: 'Name',
  password: 'Password',
  owner: 'Owner',
  code: 'Code',
  reason: 'Reason',
  actor: 'By',
  actor_id: 'By user',
  added: 'Rows added',
  removed: 'Rows removed',
  comments: 'Comments changed',
  decisions_changed: 'Decisions changed',
  proposal: 'Proposal',
  scopes: 'Scopes',
  expires_at: 'Ends',
  token_id: 'Token',
  sign_in: 'Sign-in',
  issuer: 'Issuer',
  invitation: 'Invitation',
  entries: 'Entries',
  with: 'With',
  restored: 'From the trash',
  revision: 'Revision',
  approved_by: 'Approved by user',
  approver: 'Approved by',
}

/** `againIn`: seconds; null: not by itself. */
export const notLive = ({ since, againIn }: { readonly since: Date; readonly againIn: number | null }): string =>
  `Not live since ${moment(since)}${againIn === null ? '' : `, again in ${number(againIn)} s`}`

const lines = (count: number): string => `${number(count)} new ${count === 1 ? 'line' : 'lines'}`

export const decisions = {
  lead:
    'Everything that was asked of the policy, and every change, in order. Nobody can change a line ' +
    'without it showing.',
  search: 'Search the log',
  placeholder: 'user:eve@example.com action:link:delete effect:deny since:7d',
  suggestions: 'What may be meant',
  suggestion: (name: string | null): string => (name === null ? 'ask for' : `${name} is`),
  change: (term: string) => `Change ${term}`,
  remove: (term: string) => `Remove ${term}`,
  faults: (fault: TermFault, term: string, name: string): string => {
    if (fault === 'word')
      return `${term} does not say what it is: put user:, link:, rule: or another word with a colon in front.`
    if (fault === 'unknown') return `${name}: is not a word that the log can be searched by.`
    if (fault === 'twice') return `${name}: is there twice. A search takes it once.`
    if (fault === 'backwards') return `${term}: this end is not after the start.`
    return `${term}: ${fault} takes ${VALUES[fault] ?? 'something else'}.`
  },
  faulty: 'Part of the search cannot be understood',
  faultyHint: 'Nothing is shown, because it could be taken for an answer. Change that part, or remove it.',
  passedAll: 'passed all four layers',
  stoppedAt: 'stopped at the third',
  tail: ({ lost, isPaused, fresh }: Tail): string => {
    if (lost !== null) return notLive(lost)
    const word = isPaused ? 'Paused' : 'Live'
    return fresh === 0 ? word : `${word}, ${number(fresh)} new`
  },
  pause: 'Pause',
  goOn: 'Go on',
  hasEnd: 'the search has an end',
  showNew: (count: number) => `Show ${lines(count)}`,
  exportHint: 'All that is searched for, oldest first. It has no hashes: evidence has, see Proof.',
  columns: {
    time: 'Time',
    who: 'Who',
    action: 'Action',
    record: 'Link or record',
    answer: 'Answer',
    rule: 'Rule',
    layer: 'Layer',
    status: 'Status',
  },
  today: (day: string) => `Today, ${day}`,
  layer: (stop: string | null): string => stop ?? 'all four',
  linkNumber: (id: string) => `link ${id}`,
  number: (id: string) => `id ${id}`,
  alike: (count: string, oldest: string) => `${count} more like it, down to ${oldest}`,
  tookForce: (revision: string) => `Policy: revision ${revision} came into force.`,
  quoted: (text: string) => `“${text}”`,
  decisionsChanged: (count: number) => `${number(count)} ${count === 1 ? 'decision' : 'decisions'} changed.`,
  beforeAny: 'none: it was refused before any was asked',
  whatChanged: 'What changed',
  /** undefined: this version does not know it */
  whats: (kind: string, what: string): string | undefined => WHATS[`${kind} ${what}`],
  /** as the log has it, where this version does not know it */
  field: (name: string): string => (Object.hasOwn(FIELDS, name) ? (FIELDS[name] ?? name) : name),
  fromTo: (from: string, to: string) => `${from} → ${to}`,
  only: (name: string) => `Only ${name}`,
  underRevision: (revision: string) => `Under revision ${revision}`,
  record: 'Record',
  token: 'Token',
  network: 'Network',
  entry: 'Entry',
  empty: 'Nothing is recorded yet.',
  nothing: (query: string) => `Nothing matches ${query}.`,
  clear: 'Clear the search',
  shown: (shown: number, all: string | null, isMore: boolean): string =>
    all === null ? number(shown) : `${number(shown)} of ${isMore ? 'more than ' : ''}${all}`,
}
