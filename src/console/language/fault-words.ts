import { isObject } from '../../domain/is-object.js'
import { textIn } from '../parts/narrow.js'

/** Sentences for faults of fields, by field and by what the service says of it. */
type Sentences = Readonly<Record<string, Readonly<Record<string, string>>>>

interface Fault {
  /** such as `tags.0` */
  readonly field: string
  readonly message: string
}

export const nameOfField = ({ field }: Fault): string => field.split('.')[0] ?? ''

/** What the service refused: a request, or one item of it. */
export interface Refusal {
  readonly status: number
  readonly code: string
  readonly title: string
  readonly detail?: string | undefined
  readonly rule?: string | undefined
  readonly retryAfter?: number | undefined
  readonly errors: readonly Fault[]
}

/** What to say next to the field; the service's words where a language has none of its own. */
export const besideField = (sentences: Sentences, fault: Fault): string =>
  sentences[nameOfField(fault)]?.[fault.message] ?? fault.message

/** All faults, away from their fields: words of the service need the field's name. */
export const allFaults = (sentences: Sentences, faults: readonly Fault[]): string => {
  const each = faults.map(
    (fault) => sentences[nameOfField(fault)]?.[fault.message] ?? `${fault.field} ${fault.message}.`,
  )
  return [...new Set(each)].join(' ')
}

const textOf = (value: unknown): string => textIn(value) ?? ''

/** The refusal of one item of a request, read like that of a whole request. */
export const refusalOf = (
  status: number,
  { errors, code, title, detail, rule }: Readonly<Record<string, unknown>>,
): Refusal => ({
  status,
  code: textOf(code),
  title: textOf(title),
  detail: textIn(detail) ?? undefined,
  rule: textIn(rule) ?? undefined,
  errors: (Array.isArray(errors) ? errors : [])
    .filter(isObject)
    .map(({ field, message }) => ({ field: textOf(field), message: textOf(message) })),
})
