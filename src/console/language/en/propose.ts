import type { Window } from '../../parts/policy/replays'
import { dateAndTime, hour, listed, number } from '../format'

const decisions = (count: number): string => `${number(count)} ${count === 1 ? 'decision' : 'decisions'}`
const rows = (count: number): string => `${number(count)} ${count === 1 ? 'row' : 'rows'}`

const SPANS: Readonly<Record<Window, string>> = {
  '1h': 'the last hour',
  '24h': 'the last 24 hours',
  '7d': 'the last 7 days',
}

export const propose = {
  heading: 'Propose an edit',
  against: (revision: number, needsApproval: boolean) =>
    `Against revision ${number(revision)}, in force. ` +
    (needsApproval ? 'Nothing changes until another admin approves.' : 'Nothing changes until you apply.'),
  kept: (at: Date) => `Draft kept on this device, ${hour(at)}.`,
  discard: 'Discard',
  discardAsk: 'Discard this draft?',
  discardLead: 'What you changed here is forgotten. Nothing that is in force changes.',
  replaceAsk: 'Replace your own draft?',
  replaceLead: 'There is a draft of yours here. If you replace it, what you changed in it is gone.',
  replace: 'Replace it',
  keepMine: 'Keep mine',
  saveFile: 'Save as a file',
  openFile: 'Open a file',
  notADraft: 'That file is no draft of an edit.',
  send: 'Copy a link to it',
  sent: 'The link is copied. It holds the draft itself; whoever opens it signs in and sees it here.',
  tooLongToSend: 'The draft is too long for a link: save it as a file',
  opened: (revision: number) => `This draft came with the link. It was written on revision ${number(revision)}.`,
  /** the rows */
  rows: 'Rows',
  first: 'The first match decides.',
  kinds: { p: 'Object rows', p2: 'Endpoint rows', g: 'Inheritance' },
  add: 'Add a row',
  rowStates: { new: 'new', changed: 'changed', removed: 'removed' },
  edit: (row: string) => `Edit: ${row}`,
  done: 'Done',
  duplicate: 'Duplicate',
  noRoom: 'no priority is free after this row',
  up: 'Move up',
  down: 'Move down',
  remove: 'Remove',
  undo: 'Undo',
  keys: 'Enter edits, Alt with an arrow moves, d duplicates, Delete removes.',
  folded: (count: number) => `${rows(count)} more, unchanged`,
  fields: {
    priority: 'Priority',
    rule: 'Rule',
    role: 'Role',
    action: 'Action',
    reach: 'Reach',
    effect: 'Effect',
    inherits: 'Has every row of',
    comment: 'Comment, kept with the row',
  },
  anotherRole: 'another role …',
  anotherAction: 'another action …',
  faults: {
    rule: 'capital letters, digits and -, at most 16, a letter first',
    role: 'small letters, digits, _ and -, a letter first',
    action: 'a resource and a verb, as in link:delete, or *',
  },
  /** what the service says of a row */
  fault: (message: string): string => message,
  neverReached: (by: readonly number[]) =>
    by.length === 0 ? 'Never reached: nobody can ask this' : `Never reached: ${rowsNamed(by)} first`,
  overridden: (by: readonly number[]) => `Reached in part: ${rowsNamed(by)} some of it first, the other way`,
  unknownRole: (role: string) => `No user has the role ${role}`,
  loneRole: (role: string, nearest: string | null) =>
    nearest === null ? `Nothing else has the role ${role}` : `The role ${role} stands nowhere else: is it ${nearest}?`,
  unknownAction: (action: string) => `No route of this service has the action ${action}`,
  refusedBy: (invariant: string) => `Refused: ${invariant}`,
  invariant: (name: string, file: string) =>
    `The invariant ${name} says so. It stands in ${file}, is reviewed like code and cannot be edited here: ` +
    'whoever runs the service changes it.',
  wouldBe: (role: string, doing: string, effect: 'allow' | 'deny') =>
    `${role} ${effect === 'allow' ? 'could' : 'could not'} ${doing}.`,
  otherAnswer: 'One question gets another answer',
  expected: (role: string, doing: string, expected: 'allow' | 'deny', from: string) =>
    `${role} ${expected === 'allow' ? 'can' : 'cannot'} ${doing}, says ${from}. With this row it is the other way ` +
    'round. Questions warn; only invariants refuse.',
  /** what changes */
  changes: 'What changes',
  changed: decisions,
  turned: (toDeny: number, toAllow: number, byRule: number) =>
    listed(
      [
        toAllow > 0 ? `${number(toAllow)} from deny to allow` : '',
        toDeny > 0 ? `${number(toDeny)} from allow to deny` : '',
        byRule > 0 ? `${number(byRule)} by another rule` : '',
      ].filter(Boolean),
    ),
  allRoles: 'All',
  onlyChanged: 'Changed',
  noChange: 'No decision changes.',
  /** the replay */
  replay: 'What it would have done',
  windows: { '1h': '1 hour', '24h': '24 hours', '7d': '7 days' } satisfies Record<Window, string>,
  windowLabel: 'How far back',
  headline: (window: Window, changed: number, considered: number) =>
    considered === 0
      ? `Over ${SPANS[window]} no decision was recorded.`
      : `Over ${SPANS[window]} ${number(changed)} of ${decisions(considered)} would have fallen otherwise.`,
  share: (changed: number, considered: number) => `${number(changed)} of ${number(considered)} otherwise`,
  counted: (done: number, of: number) => `Day ${number(done)} of ${number(of)} is counted.`,
  counting: 'Counting …',
  goOn: 'Count again',
  stopped: 'Stopped: what is counted so far stands here.',
  tooMany: 'Too many decisions were recorded in that time to count them in one go.',
  shorter: (span: string) => `Count ${span} instead`,
  onlyByCommand: 'The command line reads them all: linkgate policy diff --replay.',
  whose: (names: readonly string[], isEverybody: boolean) =>
    isEverybody ? `For ${listed(names)}.` : `For ${listed([...names, 'others'])}.`,
  byRule: (count: number) => `${decisions(count)} more would get the same answer by another rule.`,
  undetermined: (count: number) => `About ${decisions(count)} the record does not say enough.`,
  exact:
    'Every recorded decision was decided again, none sampled, with the role of that time. ' +
    'Public reads are not recorded.',
  nothingToReplay: 'Change a row, and real decisions of the past are made again here.',
  when: 'When',
  asked: 'Asked for',
  recorded: 'Recorded',
  would: 'Would be',
  /** the reason */
  applyTitle: 'Put it in force',
  proposeTitle: 'Propose it',
  reason: 'Reason, for the record',
  apply: (revision: number) => `Apply as revision ${number(revision)}`,
  propose: 'Propose this edit',
  applied: (revision: number) => `Revision ${number(revision)} is in force. Revisions can take it back.`,
  toRevision: 'See what it changed',
  off: {
    nothing: 'nothing is changed yet',
    asking: 'the change is being looked at',
    sending: 'the edit is being sent',
    faults: (count: number) => `${number(count)} ${count === 1 ? 'fault stands' : 'faults stand'} beside the rows`,
    refused: (count: number) =>
      count === 1 ? 'Off: 1 invariant refuses this edit' : `Off: ${number(count)} invariants refuse this edit`,
    beyond: 'Off: it gives or takes rights that you do not have yourself',
    reason: 'say why, for the record',
    stale: 'somebody else was faster: see both edits first',
  },
  bindsMaker: 'You could not undo this edit.',
  bindsMakerHint:
    'Your role may do too little for that afterwards. Somebody with more rights can, or the command line.',
  holds: (asked: number, unmet: number) =>
    `Every invariant holds, ${number(asked - unmet)} of ${number(asked)} ${asked === 1 ? 'question' : 'questions'} ` +
    `${asked - unmet === 1 ? 'is' : 'are'} answered as expected.`,
  proposed: 'Your edit is proposed. It comes into force when another admin approves it.',
  toProposal: 'See the proposal',
  /** after somebody else's edit */
  /** `who` null: unknown, or a deleted user */
  stale: (revision: number, who: string | null) =>
    (who === null
      ? `Revision ${number(revision)} came into force while you edited.`
      : `${who} applied revision ${number(revision)} while you edited.`) + ' Your draft is kept.',
  staleWhy: (reason: string, at: string) => `${dateAndTime(at)}: “${reason}”`,
  seeBoth: 'See both',
  both: 'Both edits',
  theirs: 'Their edit',
  mine: 'Your edit',
  carry: 'Make my edit on the new rows',
  lost: (count: number) => `${rows(count)} of your edit ${count === 1 ? 'is' : 'are'} not there any more:`,
}

const rowsNamed = (by: readonly number[]): string => {
  const names = listed(by.slice(0, 5).map(String))
  return by.length === 1 ? `row ${names} decides` : `rows ${names} decide`
}
