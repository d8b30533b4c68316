/** Why a row makes no link. The language says it; `text`: as the service, or the reader of the file, says it. */
export type Why =
  | { readonly is: 'text'; readonly text: string }
  | { readonly is: 'no target' }
  | { readonly is: 'no password' }
  | { readonly is: 'too long' }
  /** of a link that leads elsewhere */
  | { readonly is: 'other target' }
  /** of a link that the caller does not see whole */
  | { readonly is: 'not yours' }
  /** of an earlier row with another target */
  | { readonly is: 'line'; readonly place: string }

/** What is known of a row, or became of it. */
export type Outcome =
  /** nobody was asked yet, or no answer came */
  | { readonly is: 'open' }
  /** its link would be made */
  | { readonly is: 'new' }
  /** its code is taken; by what, is still to be seen */
  | { readonly is: 'taken' }
  /** there is such a link; `line`: an earlier row makes it */
  | { readonly is: 'there'; readonly line?: string }
  | { readonly is: 'made'; readonly url: string }
  | { readonly is: 'conflict' | 'refused'; readonly why: Why }

/** What the service says of one item of a request. */
export interface ItemResult {
  readonly index: number
  readonly status: number
  readonly link?: { readonly url?: string | undefined } | undefined
  readonly problem?: Readonly<Record<string, unknown>> | undefined
}

const textIn = (value: unknown): string => (typeof value === 'string' ? value : '')

const faultIn = (fault: unknown): string =>
  typeof fault === 'object' && fault !== null && 'field' in fault && 'message' in fault
    ? `${textIn(fault.field)} ${textIn(fault.message)}`
    : ''

/** Every fault of a problem, or what it is about. */
const textOf = ({ errors, detail, title, rule }: Readonly<Record<string, unknown>>): string => {
  const faults = Array.isArray(errors) ? errors.map(faultIn).filter(Boolean).join('; ') : ''
  const text = faults || [textIn(title), textIn(detail)].filter(Boolean).join('. ')
  return textIn(rule) === '' ? text : `${text} (${textIn(rule)})`
}

/** What a result says. Without a link it was a dry run. */
export const outcomeOf = ({ status, link, problem = {} }: ItemResult): Outcome => {
  if (status < 300) return link?.url === undefined ? { is: 'new' } : { is: 'made', url: link.url }
  if (problem['code'] === 'code_taken') return { is: 'taken' }
  return { is: 'refused', why: { is: 'text', text: textOf(problem) } }
}
