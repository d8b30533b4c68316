import { MEDIA_TYPES } from '../input/input.js'
import type { ApiOperation, Media, Parameter, SchemaJson } from './api-document.js'
import { formsOf } from './fields.js'

const BY_FORMAT: Readonly<Record<string, string>> = {
  'date-time': '2027-01-31T12:00:00Z',
  uri: 'https://example.com/',
  email: 'ada@example.com',
}

/** A sample value for a schema, within its bounds; only required fields. */
const sampleOf = (schema: SchemaJson): unknown => {
  const [form = {}] = formsOf(schema)
  const { examples, example, default: preset, const: fixed, enum: values, type, properties = {}, required = [] } = form
  const [given] = Array.isArray(examples) ? examples : [example]
  for (const value of [given, fixed, values?.[0], preset]) if (value !== undefined) return value
  if (type === 'object') return Object.fromEntries(required.map((name) => [name, sampleOf(properties[name] ?? {})]))
  if (type === 'array') return []
  if (type === 'integer' || type === 'number') return form['minimum'] ?? 1
  if (type === 'boolean') return true
  return BY_FORMAT[form.format ?? ''] ?? '…'
}

/** The document's example, or else one generated from the schema. */
export const exampleOf = ({ example, examples, schema }: Media): unknown =>
  givenExample({ example, examples }) ?? sampleOf(schema)

/** The document's example; undefined if it gives none. */
export const givenExample = ({ example, examples = {} }: Pick<Media, 'example' | 'examples'>): unknown =>
  example ?? Object.values(examples)[0]?.value

const parameterExample = ({ example, schema, name }: Parameter): unknown => {
  const value = example ?? sampleOf(schema)
  return value === '…' ? name : value
}

/** An example request: names and values by place, and the body. */
export interface ExampleRequest {
  readonly path: readonly (readonly [name: string, value: unknown])[]
  /** a list becomes a repeated parameter */
  readonly query: readonly (readonly [name: string, value: unknown])[]
  readonly headers: readonly (readonly [name: string, value: unknown])[]
  readonly json: unknown
  /** set if it takes a form instead of JSON, or prefers one (RFC 6749) */
  readonly form: readonly (readonly [name: string, value: string])[] | null
}

/** A request with everything that is required, and the values of the document's examples. */
export const exampleRequest = (operation: ApiOperation): ExampleRequest => {
  const valuesIn = (place: string) =>
    operation.parameters
      .filter(({ in: where, required, example }) => where === place && (required || example !== undefined))
      .map((parameter) => [parameter.name, parameterExample(parameter)] as const)
  const content = operation.requestBody?.content ?? {}
  const [first] = Object.keys(content)
  const media = content[first ?? '']
  const body = media && exampleOf(media)
  const isForm = first === MEDIA_TYPES.form
  return {
    path: valuesIn('path'),
    query: valuesIn('query'),
    headers: valuesIn('header'),
    json: isForm ? undefined : body,
    form:
      isForm && typeof body === 'object' && body !== null
        ? Object.entries(body).map(([name, value]) => [name, String(value)] as const)
        : null,
  }
}
