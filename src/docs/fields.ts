import type { Resolve, SchemaJson } from './api-document.js'

/** A row of a table of fields: one property at any depth. */
export interface Field {
  /** the path of its container, such as `items[].`; empty at the top */
  readonly within: string
  readonly name: string
  readonly isRequired: boolean
  readonly schema: SchemaJson
  /** a heading above it if it belongs to one of several forms */
  readonly variant: string | null
}

/** Deeper than any schema here: recursive schemas end at this depth. */
const MOST_LEVELS = 8

/** The alternative forms of a value, without null; a single one if there is no choice. */
export const formsOf = (schema: SchemaJson, resolve: Resolve): readonly SchemaJson[] => {
  const { anyOf, oneOf, allOf, ...own } = schema
  if (allOf !== undefined) return [merged([own, ...allOf.map(resolve)])]
  const choices = (anyOf ?? oneOf)?.map(resolve) ?? []
  if (choices.length === 0) return [schema]
  const forms = choices.filter(({ type }) => type !== 'null').flatMap((each) => formsOf(each, resolve))
  return forms.map((form) => (forms.length === 1 ? { ...form, ...own } : { ...own, ...form }))
}

const merged = (schemas: readonly SchemaJson[]): SchemaJson => ({
  ...Object.assign({}, ...schemas),
  properties: Object.assign({}, ...schemas.map(({ properties }) => properties)),
  required: schemas.flatMap(({ required = [] }) => required),
})

/** Whether null is allowed. */
export const isNullable = (schema: SchemaJson, resolve: Resolve): boolean =>
  [schema, ...[...(schema.anyOf ?? []), ...(schema.oneOf ?? [])].map(resolve)].some(({ type }) =>
    [type].flat().includes('null'),
  )

/** The distinguishing name of a form: its fixed values, or its place. */
const nameOfVariant = ({ properties = {}, title }: SchemaJson, place: string, resolve: Resolve): string => {
  const fixed = Object.entries(properties).flatMap(([name, each]) => {
    const { const: value } = resolve(each)
    return value === undefined ? [] : [`${name} is ${JSON.stringify(value)}`]
  })
  if (typeof title === 'string') return title
  return fixed.length > 0 ? `Where ${fixed.join(', ')}` : `Form ${place}`
}

/** All fields of a schema, depth first, in the order in which they are declared. */
export const fieldsOf = (schema: SchemaJson, resolve: Resolve, within = '', level = 0): readonly Field[] => {
  if (level > MOST_LEVELS) return []
  const forms = formsOf(schema, resolve)
  return forms.flatMap((form, i) => {
    const variant =
      forms.length > 1 && form.properties ? nameOfVariant(form, `${i + 1} of ${forms.length}`, resolve) : null
    const { properties = {}, required = [], items, additionalProperties } = form
    const own = Object.entries(properties).flatMap(([name, each]) => {
      const field = resolve(each)
      return [
        { within, name, isRequired: required.includes(name), schema: field, variant: null },
        ...fieldsOf(field, resolve, `${within}${name}.`, level + 1),
      ]
    })
    const [first, ...rest] = own
    const headed = first === undefined || variant === null ? own : [{ ...first, variant }, ...rest]
    // an array or a map has no fields itself; its content does
    const list = items === undefined ? [] : fieldsOf(resolve(items), resolve, `${within.slice(0, -1)}[].`, level + 1)
    const map =
      typeof additionalProperties === 'object'
        ? fieldsOf(resolve(additionalProperties), resolve, `${within}{name}.`, level + 1)
        : []
    return [...headed, ...list, ...map]
  })
}
