import { ANY_TEXT } from '../openapi/schemas.js'
import type { SchemaJson } from './api-document.js'
import { formsOf, isNullable } from './fields.js'

// toLocaleString() would make one for each number
const ENGLISH = new Intl.NumberFormat('en-US')

const numberOf = (value: unknown): string | null => (typeof value === 'number' ? ENGLISH.format(value) : null)

const typeOfForm = (schema: SchemaJson): string => {
  const { type, format, enum: values, const: fixed, items, additionalProperties } = schema
  if (fixed !== undefined || values !== undefined) return ''
  if (type === 'array') return `array of ${typeOf(items ?? {}) || 'values'}`
  if (type === 'object' && typeof additionalProperties === 'object')
    return `map of ${typeOf(additionalProperties) || 'values'}`
  const names = [type ?? []].flat().filter((name) => name !== 'null')
  return names.length === 0 ? 'any' : `${names.join(' or ')}${format === undefined ? '' : `, ${format}`}`
}

/** The type in words, such as `array of string` or `integer or null`; listed values come from `valuesOf`. */
export const typeOf = (schema: SchemaJson): string => {
  const forms = [...new Set(formsOf(schema).map(typeOfForm))].filter((form) => form !== '')
  const hasValues = valuesOf(schema).length > 0
  const none = isNullable(schema) ? ['null'] : []
  // the values follow it
  return (hasValues && forms.length === 0 ? [...none, 'one of'] : [...forms, ...none]).join(' or ')
}

/** The allowed values, as JSON, if they are limited; for an array, those of its items. */
export const valuesOf = (schema: SchemaJson): readonly string[] =>
  formsOf(schema).flatMap(({ enum: values, const: fixed, items }) => {
    const own = fixed !== undefined ? [fixed] : (values ?? [])
    const all = own.length === 0 && items !== undefined ? valuesOf(items) : own
    return all.map((value) => (typeof value === 'string' ? value : JSON.stringify(value)))
  })

const rangeOf = (least: unknown, most: unknown, unit: string): readonly string[] => {
  const [from, to] = [numberOf(least), numberOf(most)]
  // the bounds of a safe integer are not worth mentioning
  const isOpen = most === Number.MAX_SAFE_INTEGER
  if (from !== null && to !== null && !isOpen)
    return [from === to ? `exactly ${from}${unit}` : `${from} to ${to}${unit}`]
  if (from !== null && least !== Number.MIN_SAFE_INTEGER) return [`at least ${from}${unit}`]
  return to === null || isOpen ? [] : [`at most ${to}${unit}`]
}

const boundsOfForm = (schema: SchemaJson): readonly string[] => {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, minLength, maxLength, minItems, maxItems } = schema
  const { multipleOf, uniqueItems, items } = schema
  const [above, below, step] = [exclusiveMinimum, exclusiveMaximum, multipleOf].map(numberOf)
  return [
    ...rangeOf(minimum, maximum, ''),
    ...(above == null ? [] : [`more than ${above}`]),
    ...(below == null ? [] : [`less than ${below}`]),
    ...(step == null ? [] : [`a multiple of ${step}`]),
    ...rangeOf(minLength, maxLength, ' characters'),
    ...rangeOf(minItems, maxItems, ' items'),
    ...(uniqueItems === true ? ['each once'] : []),
    ...(items === undefined ? [] : boundsOf(items).map((bound) => `each: ${bound}`)),
  ]
}

/** Bounds in words: `1 to 100`, `at most 64 characters`. */
export const boundsOf = (schema: SchemaJson): readonly string[] => [...new Set(formsOf(schema).flatMap(boundsOfForm))]

/** The patterns of a value and its items, except for those that only repeat a format, and that of all texts. */
export const patternsOf = (schema: SchemaJson): readonly string[] => [
  ...new Set(
    formsOf(schema).flatMap(({ pattern, format, items }) => [
      ...(typeof pattern === 'string' && format === undefined && pattern !== ANY_TEXT ? [pattern] : []),
      ...(items === undefined ? [] : patternsOf(items)),
    ]),
  ),
]
