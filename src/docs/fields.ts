import type { SchemaJson } from './api-document.js'

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

/** The alternative forms of a value, without null; a single one if there is no choice. */
export const formsOf = (schema: SchemaJson): readonly SchemaJson[] => {
  const { anyOf, oneOf, allOf, ...own } = schema
  if (allOf !== undefined) return [merged([own, ...allOf])]
  const choices = anyOf ?? oneOf ?? []
  if (choices.length === 0) return [schema]
  const forms = choices.filter(({ type }) => type !== 'null').flatMap(formsOf)
  return forms.map((form) => (forms.length === 1 ? { ...form, ...own } : { ...own, ...form }))
}

const merged = (schemas: readonly SchemaJson[]): SchemaJson => ({
  ...Object.assign({}, ...schemas),
  properties: Object.assign({}, ...schemas.map(({ properties }) => properties)),
  required: schemas.flatMap(({ required = [] }) => required),
})

/** Whether null is allowed. */
export const isNullable = (schema: SchemaJson): boolean =>
  [schema, ...(schema.anyOf ?? []), ...(schema.oneOf ?? [])].some(({ type }) => [type].flat().includes('null'))

/** The distinguishing name of a form: its fixed values, or its place. */
const nameOfVariant = ({ properties = {}, title }: SchemaJson, place: string): string => {
  const fixed = Object.entries(properties).flatMap(([name, { const: value }]) =>
    value === undefined ? [] : [`${name} is ${JSON.stringify(value)}`],
  )
  if (typeof title === 'string') return title
  return fixed.length > 0 ? `Where ${fixed.join(', ')}` : `Form ${place}`
}

/** All fields of a schema, depth first, in the order in which they are declared. */
export const fieldsOf = (schema: SchemaJson, within = ''): readonly Field[] => {
  const forms = formsOf(schema)
  return forms.flatMap((form, i) => {
    const variant = forms.length > 1 && form.properties ? nameOfVariant(form, `${i + 1} of ${forms.length}`) : null
    const { properties = {}, required = [], items, additionalProperties } = form
    const own = Object.entries(properties).flatMap(([name, field]) => [
      { within, name, isRequired: required.includes(name), schema: field, variant: null },
      ...fieldsOf(field, `${within}${name}.`),
    ])
    const [first, ...rest] = own
    const headed = first === undefined || variant === null ? own : [{ ...first, variant }, ...rest]
    // an array or a map has no fields itself; its content does
    const list = items === undefined ? [] : fieldsOf(items, `${within.slice(0, -1)}[].`)
    const map = typeof additionalProperties === 'object' ? fieldsOf(additionalProperties, `${within}{name}.`) : []
    return [...headed, ...list, ...map]
  })
}
