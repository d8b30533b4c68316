import { refusalOf, type Refusal } from '../../language/fault-words.js'

/** Why a row creates no link: a refusal of the service, or another reason. */
export type Why = { readonly is: 'refusal'; readonly refusal: Refusal } | Reason

/** For the console's texts; `text`: as worded by the file reader. */
export type Reason =
  | { readonly is: 'text'; readonly text: string }
  | { readonly is: 'no target' }
  | { readonly is: 'no password' }
  | { readonly is: 'too long' }
  /** the code belongs to a link with another target */
  | { readonly is: 'other target' }
  /** the code belongs to a link that the caller may not change */
  | { readonly is: 'not yours' }
  /** the code belongs to an earlier row with another target */
  | { readonly is: 'line'; readonly place: string }

export type Outcome =
  /** not checked yet, or without a response */
  | { readonly is: 'open' }
  /** its link would be created */
  | { readonly is: 'new' }
  /** its code is taken; by which link is still to be checked */
  | { readonly is: 'taken' }
  /** the link exists; `line`: an earlier row creates it */
  | { readonly is: 'there'; readonly line?: string }
  | { readonly is: 'made'; readonly url: string }
  | { readonly is: 'conflict' | 'refused'; readonly why: Why }

/** The service's result for one item of a request. */
export interface ItemResult {
  readonly index: number
  readonly status: number
  readonly link?: { readonly url?: string | undefined } | undefined
  readonly problem?: Readonly<Record<string, unknown>> | undefined
}

/** The outcome of a result. Without a link, it was a dry run. */
export const outcomeOf = ({ status, link, problem = {} }: ItemResult): Outcome => {
  if (status < 300) return link?.url === undefined ? { is: 'new' } : { is: 'made', url: link.url }
  if (problem['code'] === 'code_taken') return { is: 'taken' }
  return { is: 'refused', why: { is: 'refusal', refusal: refusalOf(status, problem) } }
}
