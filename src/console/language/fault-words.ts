/** Sentences for faults of fields, by field and by what the service says of it. */
export type Sentences = Readonly<Record<string, Readonly<Record<string, string>>>>

interface Fault {
  /** such as `tags.0` */
  readonly field: string
  readonly message: string
}

export const nameOfField = ({ field }: Fault): string => field.split('.')[0] ?? ''

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
