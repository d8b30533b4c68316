import { asSentence, capitalized } from '../format'
import { doing } from './policy-rows'

const LAYER_NUMBERS = ['', 'first', 'second', 'third', 'fourth']
export const explain = {
  lead: 'Who may do what to which link, and why. Asking changes nothing.',
  tabs: 'What is explained',
  ask: 'Ask a question',
  byRequest: 'A request by its id',
  model: 'Read model.conf',
  copy: 'Copy the link to this',
  copyLabel: 'Copy the link to this question',
  about: 'About whom',
  abouts: { person: 'A person and a link', role: 'A role' },
  personOff: (why: string) => `About people and their links: ${why}.`,
  whoHint: 'An address or an id.',
  onlyId: 'An id: you may not look users up.',
  nobody: 'Nobody has that address.',
  whoIsIt: 'Who is it about?',
  whichRole: 'Which role is it about?',
  wants: 'wants to',
  link: 'which link',
  linkHint: 'Its code. Without one: any link of somebody else.',
  whose: 'whose record',
  relations: { own: 'their own', other: 'somebody else’s' },
  explain: 'Explain',
  layers: { gateway: 'Gateway', endpoint: 'Endpoint', object: 'Object', data: 'Data' },
  asks: {
    gateway: 'rate limit, token, scope',
    endpoint: 'may the role ask this at all?',
    object: 'what do the rows say of this record?',
    data: 'PostgreSQL, row by row',
  },
  states: { passes: 'passes', stops: 'stops here', unreached: 'not reached', given: 'not asked here' },
  verdicts: { allow: 'Allowed', deny: 'Denied' },
  atLayer: (layer: number) => `at the ${LAYER_NUMBERS[layer] ?? 'last'} of four layers`,
  may: (who: string) => `${capitalized(who)} may do it.`,
  gets: (who: string, code: string, rule: string | null) =>
    `${capitalized(who)} would get ${code}${rule === null ? '' : `, rule ${rule}`}.`,
  suspended: (who: string) => `${capitalized(who)} is suspended, so every token of theirs is refused.`,
  token: (action: string) => `Taken as passed: a valid token with the scope ${action}, within the rate limit.`,
  letIn: (role: string) => `The role ${role} may ask for it, for some record.`,
  record: (relation: 'anonymous' | 'own' | 'other'): string =>
    relation === 'own'
      ? 'The record is their own.'
      : relation === 'other'
        ? 'The record is somebody else’s.'
        : 'Whoever is not signed in owns nothing.',
  linkOf: (code: string, relation: 'anonymous' | 'own' | 'other', owner: string) =>
    relation === 'own' ? `${code} is their own.` : `${code} is another’s: its owner is ${owner}.`,
  dataBody: 'The database decides once more, in the row itself, for the user that the connection speaks for.',
  whoMay: (action: string) => `Who may ${doing(action, false)}`,
  whoMayLink: (action: string, code: string) => `Who may do ${action} to ${code}`,
  owner: (name: string) => `${capitalized(name)}, its owner`,
  everyRole: (role: string) => `Everybody with the role ${role}`,
  nobodyMay: 'Nobody may.',
  othersMayNot: 'Nobody else may.',
  forReal: 'Asked for real',
  recorded: (count: string) => (count === '0' ? 'Nothing in the log.' : `In the log: ${count}. The newest:`),
  requestId: 'Request id',
  requestHint: 'Each answer has it, in X-Request-ID and in what it says of a refusal.',
  notRecorded: 'No decision is recorded under this id.',
  notRecordedHint: 'Refusals and reads are recorded within a second; public reads only where the service is told to.',
  more: 'There are older decisions under this id, which are not shown.',
  asked: (who: string, action: string, record: string | null) =>
    `${capitalized(who)} asked for ${action}${record === null ? '' : ` of ${record}`}.`,
  wouldSay: 'The rows would say:',
  otherModel: 'The rows of that revision would answer otherwise today: model.conf has changed since.',
  /** of a refusal that no row decided, in the words of the service */
  why: asSentence,
  notSaid: 'The revision of that time cannot be read any more.',
}
