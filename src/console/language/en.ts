import type { LinkgateProblem } from '../api'
import { hour, number } from './format'
import { settings } from './en/settings'

const times = (count: number, one: string, many: string): string => `${number(count)} ${count === 1 ? one : many}`
const links = (count: number): string => times(count, 'link', 'links')

/** What the console says in English. Sentences that a colleague would say; a button says what happens. */
export const en = {
  show: 'Show',
  hide: 'Hide',
  showPassword: 'Show the password',
  hidePassword: 'Hide the password',
  copy: 'Copy',
  copied: 'Copied',
  close: 'Close',
  cancel: 'Cancel',
  save: 'Save',
  saving: 'Saving …',
  undo: 'Undo',
  tryAgain: 'Try again',
  more: 'More',
  loading: 'Loading …',
  request: 'Request',
  skip: 'To the content',
  menu: 'Menu',
  optional: 'optional',
  none: 'none',
  notFound: { title: 'There is no such page', back: 'To your links' },

  nav: { label: 'Pages', links: 'Links', visits: 'Visits', import: 'Import', trash: 'Trash', settings: 'Settings' },
  docs: 'Documentation',
  signOut: 'Sign out',
  revision: (revision: number) => `Policy revision ${number(revision)}`,

  /** What went wrong, and a way on, in a sentence or two. */
  problem: ({ status, code, title, detail, rule, retryAfter, errors }: LinkgateProblem): string => {
    if (code === 'network_error') return 'No connection. What you typed is kept; try again.'
    if (code === 'rate_limited') return `Too many requests. Go on in ${number(Math.ceil(retryAfter ?? 1))} s.`
    if (code === 'policy_denied') return `You may not do that${rule === undefined ? '' : ` (${rule})`}.`
    if (code === 'role_not_allowed') return 'Your role may not do that.'
    if (code === 'insufficient_scope') return 'This sign-in was made for less than that. Sign in again.'
    if (code === 'precondition_failed')
      return 'Somebody else changed it while you typed. What you typed is kept: load it again and compare.'
    if (code === 'not_found') return 'It is not there any more, or never was.'
    if (status === 503) return 'The service cannot answer at the moment. What you typed is kept; try again.'
    const faults = errors.map(({ field, message }) => `${field} ${message}`).join('; ')
    return [title, detail, faults].filter(Boolean).join('. ')
  },

  door: {
    title: 'Sign in to Linkgate',
    email: 'E-mail address',
    password: 'Password',
    signIn: 'Sign in',
    signingIn: 'Signing in …',
    wrong: 'That is not the right address or password.',
    forgot: 'Forgot your password?',
    forgotTitle: 'A new password',
    forgotLead: 'We send a link to your address, if it has an account here.',
    send: 'Send the link',
    sent: 'If this address has an account, a link is on its way. It works for an hour.',
    elsewhere: 'You signed out in another tab.',
    ended: (at: Date) => `Your session ended at ${hour(at)}. What you typed is kept.`,
  },

  links: {
    title: 'Links',
    target: 'Address that the link leads to',
    placeholder: 'Paste an address',
    create: 'Create',
    creating: 'Creating …',
    options: 'Code, end, password …',
    made: (url: string) => `${url} is ready.`,
    search: 'Search code, target, title, note',
    tag: 'Tag',
    anyTag: 'any',
    state: 'State',
    states: { all: 'all but trash', active: 'on', inactive: 'off', expired: 'ended' },
    sortedBy: 'Sorted by',
    sorts: {
      '-created_at': 'newest',
      created_at: 'oldest',
      code: 'code',
      '-code': 'code, backwards',
      visits: 'most visits',
      '-visits': 'fewest visits',
    },
    clearFilters: 'Clear the filters',
    export: 'Export',
    columns: { link: 'Link', target: 'Leads to', tags: 'Tags', state: 'State', visits: 'Visits', actions: 'Actions' },
    /** behind the number */
    visitsOf: (count: number): string => (count === 1 ? 'visit' : 'visits'),
    noTitle: 'No title',
    select: (code: string) => `Select ${code}`,
    selectAll: 'Select all that are shown',
    selected: (count: number) => `${number(count)} selected`,
    clear: 'Clear',
    delete: 'Delete',
    deleteMany: (count: number) => `Delete ${number(count)}`,
    deleted: (count: number) =>
      count === 1 ? 'Deleted. Restore it from the trash.' : `${links(count)} deleted. Restore them from the trash.`,
    pause: 'Switch off',
    resume: 'Switch on',
    addTag: 'Tag',
    setEnd: 'Set an end',
    open: 'Open',
    details: 'Visits and settings',
    actionsFor: (code: string) => `More for ${code}`,
    deleteOne: (code: string) => `Delete ${code}`,
    copyOne: (url: string) => `Copy ${url}`,
    leftOut: (count: number, rule: string) => `${links(count)} will be left out: ${rule}`,
    changed: (count: number) => `${links(count)} changed.`,
    refused: (count: number, why: string) => `${links(count)} could not be changed: ${why}`,
    empty: 'No link yet. Paste an address above and press Enter.',
    nothing: 'Nothing matches.',
    shown: (shown: number, all: number | undefined) =>
      all === undefined ? links(shown) : `${number(shown)} of ${number(all)}`,
    loadMore: 'Load more',
    zone: (zone: string) => `Times in ${zone}`,
    tagDialog: {
      title: (count: number) => `Tag ${links(count)}`,
      label: 'Tags, separated by commas',
      add: 'Add',
    },
    endDialog: {
      title: (count: number) => `Set an end for ${links(count)}`,
      label: 'From then on visitors get no further',
    },
  },

  badges: {
    guarded: 'password',
    off: 'off',
    starts: (when: string) => `starts ${when}`,
    expires: (when: string) => `ends ${when}`,
    expired: 'ended',
    used: (used: number, most: number) => `${number(used)} of ${number(most)} visits`,
  },

  fields: {
    target: 'Leads to',
    code: 'Code',
    codeHint: 'What stands after the host. One is made where you name none.',
    title: 'Title',
    note: 'Note',
    noteHint: 'For those who may change the link.',
    tags: 'Tags',
    tagsHint: 'Separated by commas.',
    starts: 'Starts',
    ends: 'Ends',
    maxVisits: 'Visits at most',
    password: 'Password for visitors',
    passwordHint: 'At least 8 characters. It cannot be read again.',
    keepPassword: 'There is one. Leave this empty to keep it.',
    noPassword: 'Take the password away',
    status: 'Redirect',
    statuses: {
      301: '301, moved for good',
      302: '302, found',
      307: '307, the same method',
      308: '308, for good, the same method',
    },
    forward: 'Pass the visitor’s parameters on',
    active: 'On',
  },

  rights: {
    gateway: 'this sign-in may not',
    endpoint: 'your role may not',
    object: (rule: string | null) => (rule === null ? 'the policy forbids it' : `${rule}: not yours`),
  },

  settings,

  trash: {
    title: 'Trash',
    lead: 'What was deleted waits here, with its visits. Its code is free at once, so somebody else may have it.',
    empty: 'Nothing was deleted.',
    deletedAt: 'Deleted',
    restore: 'Restore',
    restored: (code: string) => `${code} is back.`,
    taken: (code: string) => `${code} is taken. Restore it under another code:`,
  },
}
