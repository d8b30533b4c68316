import { number } from '../format'

const entries = (count: number): string => `${number(count)} ${count === 1 ? 'entry' : 'entries'}`
const counted = (count: number, what: string): string => `${number(count)} ${what}${count === 1 ? '' : 's'}`
const text = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))

export const proof = {
  lead:
    'The log of decisions is chained and signed. Here you see how far that reaches, have it verified, ' +
    'and take a part of it along as evidence.',
  lookAgain: 'Look again',
  publicKey: 'Public key',
  proved: 'What is proved',
  notProved: 'What is not',
  provedUpTo: (count: number, when: string) =>
    `${entries(count)} ${count === 1 ? 'is' : 'are'} signed, the last time on ${when}: whoever has the database and ` +
    `not the signing key can change nothing of that unseen.`,
  nothingProved: 'No checkpoint is valid yet, so nothing is proved.',
  chained: (count: number, chains: number) =>
    `${entries(count)} in ${counted(chains, 'chain')}: each holds the hash of the one before it.`,
  retired: (count: number, months: number) =>
    `${entries(count)} of ${counted(months, 'month')} ${count === 1 ? 'was' : 'were'} dropped, ` +
    'as signed statements say.',
  signedWith: 'Signed with the key',
  notYet: (count: number) =>
    count === 0
      ? 'Entries that come before the next checkpoint, every ten minutes: until then whoever has the ' +
        'database could rewrite them.'
      : `${entries(count)} ${count === 1 ? 'is' : 'are'} newer than the newest checkpoint. Until the next ` +
        `one, every ten minutes, whoever has the database could rewrite ${count === 1 ? 'it' : 'them'}.`,
  withTheKey:
    'Whoever has the database and the signing key can rewrite everything. Keep the key where administrators ' +
    'of the database cannot read it.',
  removed:
    'Whoever removes the newest checkpoints moves this bound back. Each is in the log of the service, too: ' +
    'collect that elsewhere.',
  verification: 'Verification',
  verify: 'Verify the whole log',
  verifyHint: 'Computes every hash again, in all chains, and compares them with each checkpoint.',
  beginning: 'The verification begins.',
  progress: (done: string, of: string) => `${done} of ${of} entries checked.`,
  since: (when: string) => `Began ${when}.`,
  stopped: 'You stopped it',
  brokeOff: 'It broke off',
  noVerdict: 'There is no verdict, so nothing is known.',
  busy: 'The log is being verified already',
  busyHint: 'Somebody else has begun it. Try again when that is done.',
  whole: 'The log is whole',
  notWhole: (found: number) => `The log is not whole: ${number(found)} ${found === 1 ? 'fault' : 'faults'}`,
  walked: (count: number, chains: number, retired: number) =>
    `${entries(count)} in ${counted(chains, 'chain')} checked${retired === 0 ? '' : `, ${number(retired)} retired`}.`,
  signedUpTo: (when: string) => `The newest valid checkpoint is of ${when}.`,
  noCheckpoint: 'No checkpoint is valid yet.',
  fault: ({ kind, ...fault }: Readonly<Record<string, unknown>> & { readonly kind: string }): string => {
    const [chain, seq, last, id] = [fault['writer'], fault['seq'], fault['last'], fault['id']].map(text)
    if (kind === 'altered') return `Entry ${seq} of chain ${chain} was altered (record ${id}).`
    if (kind === 'inserted') return `Entry ${seq} of chain ${chain} was inserted (record ${id}).`
    if (kind === 'missing')
      return seq === last || fault['last'] === undefined
        ? `Entry ${seq} of chain ${chain} is missing.`
        : `Entries ${seq} to ${last} of chain ${chain} are missing.`
    if (kind === 'checkpoint') return `Checkpoint ${id} ${text(fault['why'])}.`
    return `${kind} ${JSON.stringify(fault)}`
  },
  moreFaults: (count: string) => `And ${count} more, which linkgate audit verify names.`,
  chains: 'Chains',
  chainsHint: 'One for each transaction that ever wrote at the same time, so that none waits for another.',
  chain: 'Chain',
  entries: 'Entries',
  newest: 'Newest entry',
  checkpoints: 'Checkpoints',
  signed: 'Signed',
  key: 'Key',
  inUse: 'in use',
  signature: 'Signature',
  valid: 'valid',
  notValid: 'not valid',
  expiry: 'with retired months',
  newer: (count: string, when: string) => `Newer than ${when}, chained and not yet signed: ${count}.`,
  evidence: 'Evidence of a period',
  evidenceLead:
    'One signed file with every entry and its hashes. It is checked on any machine, with no database and no network.',
  from: 'From',
  fromHint: 'Without it: from the beginning of the log.',
  to: 'To',
  toHint: 'Without it: up to now.',
  make: 'Make the file',
  making: 'Making the file …',
  madeSoFar: (kilobytes: string) => `${kilobytes} kB so far`,
  saved: (name: string) => `${name} is saved.`,
  checkIt: 'Whoever gets it checks it without this service:',
  copyCommand: 'Copy the command',
  withKey: 'The file of the key comes from Public key above. Hand it over separately from the evidence.',
}
