import type { FormatName } from '../../../import/formats.js'
import type { Reason } from '../../pages/import/outcome'
import { asSentence, number } from '../format'

const links = (count: number): string => `${number(count)} ${count === 1 ? 'link' : 'links'}`
const are = (count: number): string => `${number(count)} ${count === 1 ? 'is' : 'are'}`

const rowAt = (place: string): string => place.replace(/^\d/, 'row $&')

export const imports = {
  lead: 'Bring links along. Each row is checked first; nothing is made before you say so, and nothing is made twice.',
  drop: 'Drop a file here, or choose one',
  dropHint: 'CSV or JSON in UTF-8, from Linkgate, Bitly, Shlink, Kutt, YOURLS, or a table of your own.',
  choose: 'Choose a file',
  another: 'Choose another file',
  reading: 'Reading the file …',
  records: (count: number) => (count === 1 ? '1 row' : `${number(count)} rows`),
  unreadable: (name: string, why: string) => `${name} cannot be read: ${why}.`,
  tooLarge: (name: string, mib: number) =>
    `${name} is larger than ${number(mib)} MiB. “linkgate import”, on the machine of the service, takes any file.`,
  readInPart: (why: string) => `Only a part of the file could be read: ${why}.`,
  format: 'Where it is from',
  formats: {
    csv: 'Linkgate, or a table of your own',
    bitly: 'Bitly',
    shlink: 'Shlink',
    kutt: 'Kutt',
    yourls: 'YOURLS',
  } satisfies Record<FormatName, string>,
  columns: 'Columns',
  columnsHint: 'Which column of the file is which field of a link.',
  missing: (field: string) => `No column of the file is “${field}”. Choose it below, and the rows are checked.`,
  ignored: (columns: readonly string[]) => `Left out: ${columns.join(', ')}`,
  asFormat: (format: string) => `as ${format} has it`,
  leftOut: 'none',
  yours: 'The links become yours, and are made today. Only “linkgate import” keeps dates and owners.',
  /** the rows */
  rows: 'Rows',
  row: 'Row',
  outcome: 'What becomes of it',
  anyCode: 'any code',
  all: 'all',
  states: {
    open: 'not checked yet',
    new: 'new',
    made: 'made',
    there: 'there already',
    conflict: 'conflict',
    refused: 'refused',
  },
  place: (place: string) => place,
  sameAs: (place: string) => `like ${rowAt(place)}`,
  why: (why: Reason): string => {
    switch (why.is) {
      case 'text':
        return asSentence(why.text)
      case 'no target':
        return 'It has no address to lead to.'
      case 'no password':
        return 'It had a password, which the file does not hold. Give it a new one in a column “password”.'
      case 'too long':
        return 'It is too long.'
      case 'other target':
        return 'The code is taken by a link that leads elsewhere.'
      case 'not yours':
        return 'The code is taken by a link of somebody else.'
      case 'line':
        return asSentence(`${rowAt(why.place)} has this code, and leads elsewhere`)
    }
  },
  checking: (done: number, all: number) => `Checking each row: ${number(done)} of ${number(all)}`,
  checked: (fresh: number, there: number, not: number) =>
    [
      `${links(fresh)} can be made.`,
      there > 0 ? `${are(there)} there already.` : '',
      not > 0 ? `${number(not)} cannot be imported.` : '',
    ]
      .filter(Boolean)
      .join(' '),
  importing: (done: number, all: number) => `Making links: ${number(done)} of ${number(all)}`,
  import: (count: number) => `Import ${links(count)}`,
  noneNew: 'no row makes a link',
  stopped: (left: number) => `Stopped: ${links(left)} ${left === 1 ? 'is' : 'are'} left.`,
  unfinished: {
    ask: 'Leave while links are being made?',
    lead: 'The import stops. What is made stays, and a second import of the file makes the rest.',
    discard: 'Stop the import',
    stay: 'Stay here',
  },
  goOn: 'Go on',
  checkRest: 'Check the rest',
  waits: (seconds: number) => `Too many requests at once. It goes on by itself in ${number(Math.ceil(seconds))} s.`,
  done: (made: number, there: number, not: number) =>
    [
      made === 0 ? 'Nothing had to be made.' : `${links(made)} made.`,
      there > 0 ? `${are(there)} there already.` : '',
      not > 0 ? `${number(not)} could not be imported.` : '',
    ]
      .filter(Boolean)
      .join(' '),
  download: 'Download what is refused',
  toLinks: 'To your links',
}
