/** A kind of reader, and their pages in reading order. */
export interface Readers {
  readonly id: string
  readonly title: string
  readonly lead: string
  /** names of pages; missing ones are left out */
  readonly pages: readonly string[]
}

/** The contents of the site. A page may be in several lists; one in none comes last, under “More”. */
export const CONTENTS: readonly Readers[] = [
  {
    id: 'people',
    title: 'People who make links',
    lead: 'Make links, print them, and see who follows them.',
    pages: ['readme', 'console', 'links', 'qr', 'visits', 'import', 'signing-in'],
  },
  {
    id: 'programs',
    title: 'Programs',
    lead: 'Call the API, or ask the policy from another application.',
    pages: ['signing-in', 'client', 'links', 'visits', 'authzen'],
  },
  {
    id: 'admins',
    title: 'Admins',
    lead: 'Decide who may do what, and let people in.',
    pages: ['policy', 'policies', 'model.conf', 'default.csv', 'signing-in', 'pages'],
  },
  {
    id: 'auditors',
    title: 'Auditors',
    lead: 'See what was decided and why, and check the proof.',
    pages: ['audit', 'policy', 'security', 'privacy', 'invariants.csv', 'security-policy', 'decisions'],
  },
  {
    id: 'operators',
    title: 'Operators',
    lead: 'Run the service, watch it, and plan its size.',
    pages: [
      'operations',
      'metrics',
      'pages',
      'performance',
      'scale',
      'architecture',
      'contributing',
      'changelog',
      'releasing',
    ],
  },
]
