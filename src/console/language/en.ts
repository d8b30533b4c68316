import { allFaults, type Refusal } from './fault-words'
import type { Comparison } from '../parts/visits/comparison'
import type { Live } from '../parts/visits/use-live'
import { capitalized, hour, listed, moment, number, percent, wait } from './format'
import { access } from './en/access'
import { decisions, notLive } from './en/decisions'
import { explain } from './en/explain'
import { imports } from './en/import'
import { model } from './en/model'
import { policy } from './en/policy'
import { revisions } from './en/revisions'
import { proof } from './en/proof'
import { propose } from './en/propose'
import { proposals } from './en/proposals'
import { settings } from './en/settings'
import { users } from './en/users'
import { welcome } from './en/welcome'

const times = (count: number, one: string, many: string): string => `${number(count)} ${count === 1 ? one : many}`
const links = (count: number): string => times(count, 'link', 'links')

/** Who has a right, by which rule. */
interface Holder {
  readonly who: 'owner' | 'role'
  readonly role?: string
  readonly rule: string
}
const holders = (all: readonly Holder[], isOwn: boolean): string => {
  const owner = isOwn ? 'you, its owner' : 'its owner'
  const each = all.map(({ who, role, rule }) => `${who === 'owner' ? owner : `every ${role}`} (${rule})`)
  return each.length === 0 ? 'Nobody' : capitalized(listed(each))
}

/** What is wrong with a time, or with a field that is true or false. */
const ofTime = (name: string) => ({
  'must be a time as in RFC 3339, such as 2027-01-31T12:00:00Z': `${name} is not a time such as 2027-01-31T12:00:00Z.`,
  'must be a time from 1970 to 9999': `${name} is not between 1970 and 9999.`,
})
const ofFlag = (name: string) => ({ 'must be true or false': `${name} is not true or false.` })

/** What is wrong with a field, by what the service says of it. */
const faults = {
  target: {
    'must be an absolute http or https URL': 'Write the whole address, with http:// or https:// in front.',
    'must not contain spaces, control characters or backslashes':
      'An address has no spaces, control characters or backslashes.',
    'must not contain half a character': 'Half a character is in this address. Copy it once more.',
    'must not contain credentials': 'An address with a user name or a password in it cannot be kept.',
    'must not be on this service itself': 'This address is on this service itself: the link would lead in a circle.',
    'must be at most 2048 characters': 'This address is longer than 2,048 characters.',
  },
  code: {
    'must be 1 to 64 characters of A-Z, a-z, 0-9, _ and -':
      '1 to 64 letters from A to Z, digits, _ and -, without spaces.',
    'is reserved for the service': 'This code is reserved for the service. Choose another.',
    'is taken': 'This code is taken. Choose another.',
  },
  tags: {
    'must be 1 to 40 letters, digits, spaces, dots, _ and -, and begin with a letter or digit':
      'A tag has 1 to 40 letters, digits, spaces, dots, _ and -, a letter or digit first.',
    'must be at most 20 tags': 'At most 20 tags.',
  },
  title: {
    'must be at most 200 characters': 'A title has at most 200 characters.',
    'must be one line': 'A title is one line.',
  },
  note: { 'must be at most 2000 characters': 'A note has at most 2,000 characters.' },
  status: { 'must be 301, 302, 307 or 308': 'A redirect is 301, 302, 307 or 308.' },
  active: ofFlag('“active”'),
  forward_query: ofFlag('“forward_query”'),
  starts_at: { ...ofTime('The start'), 'must be before expires_at': 'The start is not before the end.' },
  expires_at: { ...ofTime('The end'), 'must be after starts_at': 'The end is not after the start.' },
  max_visits: {
    'must be a number': 'The visit limit is not a number.',
    'must be an integer': 'The visit limit is not a whole number.',
    'must be at least 1': 'At least 1 visit.',
    'must be at most 1000000000': 'At most 1,000,000,000 visits.',
  },
  password: {
    'must have at least 8 characters': 'At least 8 characters.',
    'must have at most 200 characters': 'At most 200 characters.',
    'must have at most 256 characters': 'At most 256 characters.',
  },
  current_password: {
    'is not the password of this account': 'This is not your current password.',
  },
  email: {
    'is taken': 'Somebody here has this address already.',
    'must be one e-mail address in ASCII, such as ada@example.com':
      'Write one address such as ada@example.com, in letters from A to Z.',
  },
  user: { 'is not the id of a user': 'Nobody here has that number.' },
  link: { 'is not the code of a link': 'There is no link with this code.' },
  owner_id: { 'must be a user': 'Nobody here has that number.' },
  links: { 'must name another user, who exists': 'Nobody else here has that number.' },
  name: {
    'must not be empty': 'The name is missing.',
    'must be one line': 'A name is one line.',
    'must have at most 200 characters': 'At most 200 characters.',
  },
  until: ofTime('The time'),
  from: { ...ofTime('The beginning'), 'must be in the past': 'This time is not in the past.' },
  to: { ...ofTime('The end'), 'must be later than from': 'The end is not after the beginning.' },
}

/** The texts of the console in English: sentences that a colleague would say. A button says what happens. */
export const en = {
  show: 'Show',
  hide: 'Hide',
  showPassword: 'Show the password',
  hidePassword: 'Hide the password',
  copy: 'Copy',
  copied: 'Copied',
  notCopied: 'Not copied: the browser refuses',
  close: 'Close',
  cancel: 'Cancel',
  save: 'Save',
  saving: 'Saving …',
  undo: 'Undo',
  stop: 'Stop',
  tryAgain: 'Try again',
  loading: 'Loading …',
  request: 'Request',
  skip: 'To the content',
  menu: 'Menu',
  optional: 'optional',
  none: 'none',
  shown: (shown: number, all: number | undefined) =>
    all === undefined ? number(shown) : `${number(shown)} of ${number(all)}`,
  more: (count: string) => `${count} more`,
  found: (count: string) => `Found: ${count}`,
  notFound: { title: 'There is no such page', back: 'To your links' },
  notLoaded: {
    title: 'This page could not be loaded',
    why: 'The service is away, or was updated since you opened the console.',
    reload: 'Reload the console',
  },

  nav: {
    label: 'Pages',
    links: 'Links',
    visits: 'Visits',
    import: 'Import',
    trash: 'Trash',
    settings: 'Settings',
    access: 'Access',
    policy: 'Policy',
    revisions: 'Revisions',
    proposals: 'Proposals',
    openProposals: (count: number) => `${number(count)} open`,
    users: 'Users',
    explain: 'Explain',
    model: 'model.conf',
    rights: 'Rights',
    record: 'Record',
    decisions: 'Decisions',
    proof: 'Proof',
  },
  docs: 'Documentation',
  signOut: 'Sign out',
  stillSignedIn: (why: string) => `You are still signed in. ${why}`,
  revision: (revision: number) => `Policy revision ${number(revision)}`,

  /** What went wrong, and how to continue, in a sentence or two. */
  problem: ({ status, code, title, detail, rule, retryAfter, errors }: Refusal): string => {
    if (code === 'network_error') return 'No connection. What you typed is kept; try again.'
    if (code === 'rate_limited') return `Too many requests. Go on in ${wait(retryAfter ?? 1)}.`
    if (code === 'policy_denied') return `You may not do that${rule === undefined ? '' : ` (${rule})`}.`
    if (code === 'role_not_allowed') return 'Your role may not do that.'
    if (code === 'invalid_token')
      return 'This service does not accept your sign-in: it is linked to no user here, or is for another. Ask an admin.'
    if (code === 'insufficient_scope') return 'This sign-in was made for less than that. Sign in again.'
    if (code === 'precondition_failed')
      return 'Somebody else changed it while you typed. What you typed is kept: load it again and compare.'
    if (code === 'not_found') return 'It is not there any more, or never was.'
    if (code === 'code_taken') return 'The code is taken. Choose another.'
    if (code === 'email_taken') return 'Somebody here has this address already.'
    if (code === 'has_links') return 'They still have links. Say what becomes of these.'
    if (code === 'conflict') return 'Somebody else changed it at the same time. Load it again and compare.'
    if (code === 'last_admin') return 'The last active admin must remain. Make somebody else an admin first.'
    if (code === 'beyond_own_rights')
      return ['It gives or takes rights that you do not have yourself.', detail].filter(Boolean).join(' ')
    if (['validation_failed', 'invalid_query'].includes(code) && errors.length > 0)
      return `A field is not valid. ${allFaults(faults, errors)}`
    if (code === 'deadline_exceeded')
      return 'That took too long. Try again, or ask for less: a shorter time, or a narrower search.'
    if ([502, 503, 504].includes(status))
      return 'The service cannot answer at the moment. What you typed is kept; try again.'
    if (code === 'unexpected_answer') return `Something else answered in place of the service (${detail ?? status}).`
    const said = errors.map(({ field, message }) => `${field} ${message}`).join('; ')
    return [title, detail || said].filter(Boolean).join('. ')
  },

  /** what was refused, in a few words */
  titleOf: ({ title }: Pick<Refusal, 'code' | 'title'>): string => title,
  /** why, in particular */
  detailOf: (detail: string): string => detail,
  faults,
  /** `seen`: when what is shown was loaded; null: nothing is shown. `againIn`: seconds; null: now */
  lost: {
    since: (since: Date) => `No connection since ${moment(since)}.`,
    again: (since: Date, seen: Date | null, againIn: number | null): string => {
      const again = `we try again ${againIn === null ? 'now' : `in ${number(againIn)} s`}.`
      if (seen === null) return capitalized(again)
      return `What you see is from ${moment(seen) === moment(since) ? 'then' : moment(seen)}; ${again}`
    },
  },
  unsaved: {
    ask: 'Leave without saving?',
    lead: 'What you changed in the form is not saved.',
    discard: 'Discard the changes',
    stay: 'Keep editing',
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
    notSetUp: 'Nobody can sign in here yet: whoever runs this service has to set CONSOLE_CLIENT_ID.',
    issuerAway: 'The service that knows your password does not answer at the moment.',
    refusedAt: (host: string, error: string) =>
      error === 'access_denied'
        ? `${host} did not sign you in: it was refused or cancelled there.`
        : `${host} did not sign you in: ${error}.`,
    keepsNothing: 'This browser stores no data for this site, and a sign-in needs some. Allow it, and try again.',
    continueAt: (host: string) => `Continue at ${host}`,
    elsewhere: 'You signed out in another tab. What you typed here is kept until you sign in again.',
    ended: (at: Date) => `Your session ended at ${hour(at)}. What you typed is kept.`,
  },

  already: {
    title: 'Somebody is signed in already',
    lead: 'If this is not you, sign out, and then sign in with your own account.',
    stay: 'That is me',
  },

  links: {
    target: 'Address that the link leads to',
    placeholder: 'Paste an address',
    create: 'Create',
    creating: 'Creating …',
    options: 'Code, end, password …',
    search: 'Search code, target, title, note',
    tag: 'Tag',
    anyTag: 'any',
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
    exportListed: 'Export these',
    columns: { link: 'Link', target: 'Leads to', tags: 'Tags', state: 'State', visits: 'Visits', actions: 'Actions' },
    /** follows the number */
    visitsOf: (count: number): string => (count === 1 ? 'visit' : 'visits'),
    moreTags: (count: number) => times(count, 'more tag', 'more tags'),
    noTitle: 'No title',
    select: (code: string) => `Select ${code}`,
    selectAll: 'Select all that are shown',
    selected: (count: number) => `${number(count)} selected`,
    clear: 'Clear',
    delete: 'Delete',
    deleteMany: (count: number) => `Delete ${number(count)}`,
    deleted: (count: number, days: number) =>
      `${count === 1 ? 'Deleted' : `${links(count)} deleted`}. ` +
      `Restore within ${times(days, 'day', 'days')}, from the trash.`,
    forGood: {
      title: (count: number) => (count === 1 ? 'Delete this link for good?' : `Delete ${links(count)} for good?`),
      text: 'This service keeps no trash: it cannot be undone, and the visits go as well.',
      done: 'Deleted for good.',
    },
    pause: 'Switch off',
    resume: 'Switch on',
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
    noneYet: 'No link yet.',
    onlyTag: (tag: string) => `tag: ${tag}`,
    onlyState: (state: string) => `state: ${state}`,
    nothing: (filters: readonly string[]) => `Nothing matches ${listed(filters)}.`,
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
    starts: (when: string) => `starts ${when}`,
    expires: (when: string) => `ends ${when}`,
    everyCounts: 'Every redirect counts, a bot’s too.',
    used: (used: number, most: number) => `${number(used)} of ${times(most, 'visit', 'visits')}`,
  },

  fields: {
    target: 'Leads to',
    code: 'Code',
    codeHint: 'What stands after the host. One is made where you name none.',
    taken: (code: string) => `${code} is taken.`,
    /** before codes that nobody has */
    free: 'Free:',
    title: 'Title',
    note: 'Note',
    noteHint: 'For those who may change the link.',
    tags: 'Tags',
    tagsHint: 'Separated by commas.',
    starts_at: 'Starts',
    expires_at: 'Ends',
    pastEnd: 'That is past: visitors will be told that the link has ended.',
    max_visits: 'Visits at most',
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
    forward_query: 'Pass the visitor’s parameters on',
    active: 'On',
  },

  rights: {
    gateway: 'this sign-in may not',
    endpoint: 'your role may not',
    object: (rule: string | null) => (rule === null ? 'the policy forbids it' : `${rule}: the policy forbids it`),
    link: (rule: string | null) => (rule === null ? 'the policy forbids it' : `${rule}: not yours`),
  },

  access,
  decisions,
  proof,
  explain,
  imports,
  model,
  policy,
  revisions,
  propose,
  proposals,
  settings,
  users,
  welcome,

  trash: {
    lead: 'What was deleted waits here, with its visits. Its code is free at once, so somebody else may have it.',
    empty: 'Nothing was deleted.',
    deletedAt: 'Deleted',
    restore: 'Restore',
    restored: (code: string) => `${code} is back.`,
    otherCode: (code: string) => `Restore ${code} under another code`,
    taken: 'Another link has taken the code. Restore this one from the trash, under another.',
  },

  visits: {
    period: 'Period',
    periods: { '24h': '24 h', '7d': '7 days', '30d': '30 days', '1y': '1 year' },
    before: {
      '24h': 'the 24 hours before',
      '7d': 'the 7 days before',
      '30d': 'the 30 days before',
      '1y': 'the year before',
    },
    ofAll: 'Links that you may change',
    ofTagged: (tags: readonly string[]) => `Links with ${listed(tags)}`,
    mostVisited: 'Most visited',
    span: (from: string, to: string) => (from === to ? from : `${from} to ${to}`),
    visitors: 'Visitors, added by day',
    visitorsShort: 'Visitors',
    beforeShort: 'Before',
    busiest: { hour: 'Busiest hour', day: 'Busiest day', week: 'Busiest week' },
    bots: 'Bots, kept apart',
    botsApart: 'not in the numbers here',
    compared: (compared: Comparison): string => {
      if (compared.is === 'same') return 'as many as before'
      if (compared.is === 'first') return 'none before'
      if (compared.share >= 10) return 'over ten times as many as before'
      if (compared.share >= 2) return `${number(Math.round(compared.share + 1))} times as many as before`
      return `${percent(compared.share)} ${compared.is} than before`
    },
    chart: { hour: 'Visits by hour', day: 'Visits by day', week: 'Visits by week' },
    numbers: (visits: number, visitors: number) =>
      `${times(visits, 'visit', 'visits')}, ${times(visitors, 'visitor', 'visitors')}`,
    comparedMoment: (moment: string, before: number) => `${moment}; before: ${number(before)}`,
    soFar: (moment: string) => `${moment}, so far`,
    weekOf: (day: string) => `week of ${day}`,
    asTable: 'The same numbers as a table',
    when: { hour: 'Hour', day: 'Day', week: 'Week' },
    none: 'Nobody came in this time.',
    noneHint: 'Choose a longer period, or copy a link and pass it on.',
    notCounting: 'Visits are not counted here',
    fromBefore: 'Whoever runs this service has switched that off. Numbers from before stay.',
    nothing: 'Nothing in this time.',
    by: {
      referrer: 'Referrers',
      country: 'Countries',
      browser: 'Browsers',
      os: 'Systems',
      device: 'Devices',
    },
    devices: { desktop: 'Computer', mobile: 'Phone', tablet: 'Tablet', tv: 'TV' },
    noReferrer: 'No referrer',
    notTold: 'Unknown',
    noCountries: 'Nobody’s country is known. That takes a file of countries, which the operator can provide.',
    other: (values: number | null) => (values === null ? 'Others' : times(values, 'other', 'others')),
    all: 'All',
    showAll: (what: string) => `All: ${what}`,
    fewer: 'Fewer',
    showFewer: (what: string) => `Fewer: ${what}`,
    live: (live: Live): string => {
      if (live.is === 'connecting') return 'Connecting …'
      if (live.is === 'on')
        return live.lastMinute === 0 ? 'Live' : `Live, ${number(live.lastMinute)} in the last minute`
      if (live.is === 'paused') return live.fresh === 0 ? 'Paused' : `Paused, ${number(live.fresh)} new`
      return notLive(live)
    },
    hold: '; hold the numbers',
    goOn: '; go on',
  },

  link: {
    leadsTo: 'leads to',
    nobodyYet: 'Nobody has followed it yet. Numbers come within a second of a visit.',
    behindPassword: 'A password guards it. Visitors learn it after they have typed that.',
    notYours: (why: string) =>
      `You see what every visitor can know. Its visits and settings are for those who may change it: ${why}.`,
    you: 'you',
    nobody: 'nobody',
    user: (id: string) => `user ${id}`,
    export: 'Export the visits',
    closed: {
      off: 'It is off. Visitors are told that there is nothing here.',
      early: (when: string) => `It starts on ${when}. Until then visitors are told that there is nothing here.`,
      over: (when: string) => `It ended on ${when}. Visitors are told so.`,
    },
    settings: {
      title: 'Settings',
      names: {
        has_password: 'Password',
        forward_query: 'Visitor’s parameters',
      },
      atOnce: 'at once',
      never: 'never',
      noLimit: 'no limit',
      guarded: 'visitors have to type one',
      passedOn: 'passed on',
      dropped: 'not passed on',
      owner: 'Owner',
      made: 'Made',
    },
    who: {
      title: 'Who can change this?',
      both: (who: readonly Holder[], isOwn: boolean) => `${holders(who, isOwn)} can change and delete it.`,
      change: (who: readonly Holder[], isOwn: boolean) => `${holders(who, isOwn)} can change it.`,
      delete: (who: readonly Holder[], isOwn: boolean) => `${holders(who, isOwn)} can delete it.`,
      others: 'Nobody else can.',
    },
    edit: {
      edit: 'Edit',
      title: 'Edit the link',
      saved: 'Saved.',
      conflict: 'Somebody else changed this link while you typed',
      setting: 'Setting',
      theirs: 'Saved by them',
      mine: 'Typed by you',
      untouched: 'as it was',
      passwordTyped: 'changed',
      given: 'The link has another owner now.',
      lost: 'Somebody may have given the link away, renamed or deleted it. What you typed stays here: you can copy it.',
      overwrite: 'The form has their version with what you typed over it. Save again if that is right.',
    },
    transfer: {
      open: 'Give to somebody else',
      title: (code: string) => `Give ${code} to somebody else`,
      label: 'Who gets it',
      hint: 'Their e-mail address, or their number. Visits, tags and history stay with the link.',
      unknown: 'Nobody here has that address.',
      give: 'Give it away',
      given: (code: string) => `${code} has another owner.`,
    },
    qr: {
      title: 'QR code',
      picture: (url: string) => `QR code of ${url}`,
      hint: 'It has the short URL and nothing else, so it stays right when the target changes.',
      download: (format: string) => `Download as ${format}`,
      look: 'Size, level, colours',
      size: 'Size in pixels',
      level: 'Level',
      levels: {
        L: 'L, 7% may be hidden',
        M: 'M, 15% may be hidden',
        Q: 'Q, 25% may be hidden',
        H: 'H, 30% may be hidden',
      },
      dark: 'Dark',
      light: 'Light',
    },
    history: {
      title: 'History',
      source: 'from the log',
      more: 'Older',
      commandLine: 'The command line',
      made: (who: string) => capitalized(`${who} made it`),
      restored: (who: string) => capitalized(`${who} restored it from the trash`),
      changed: (who: string) => capitalized(`${who} changed it`),
      deleted: (who: string) => capitalized(`${who} deleted it`),
      renamed: (who: string, from: string, to: string) => capitalized(`${who} renamed it from ${from} to ${to}`),
      given: (who: string, from: string, to: string) => capitalized(`${who} gave it to ${to}, from ${from}`),
      refused: (who: string, action: string, rule: string) => {
        const tried: Readonly<Record<string, string>> = {
          'link:update': 'change it or see its visits',
          'link:delete': 'delete it',
          'link:transfer': 'give it away',
        }
        return capitalized(`${who} tried to ${tried[action] ?? action}: refused, ${rule}`)
      },
    },
  },
}
