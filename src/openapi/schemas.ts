import { z } from 'zod'

export type Json = Readonly<Record<string, unknown>>

/** Named schemas, defined once under `components`. */
export type NamedSchemas = Map<string, Json>

const INT32 = 2 ** 31 - 1

/** The pattern of any stored or returned text: PostgreSQL cannot store NUL. */
export const ANY_TEXT = '^[^\\u0000]*$'

/** Adds implied facts to a schema: the width of a number, and the characters that a text cannot contain. */
const complete = (json: z.core.JSONSchema.BaseSchema): void => {
  // query parameters are texts, whatever they stand for
  if (json.type === 'integer' && typeof json.default === 'string') json.default = Number(json.default)
  if (json.type === 'integer') json.format ??= (json.maximum ?? Infinity) <= INT32 ? 'int32' : 'int64'
  const isFree = json.format === undefined && json.enum === undefined && json.const === undefined
  if (json.type === 'string' && isFree) json.pattern ??= ANY_TEXT
}

const OPTIONS = {
  target: 'draft-2020-12',
  unrepresentable: 'any',
  reused: 'inline',
  override: ({ jsonSchema }) => complete(jsonSchema),
} as const satisfies z.core.ToJSONSchemaParams

/** The JSON Schema of one kind of item, for a list that is parsed item by item. */
export const inputSchema = (schema: z.ZodType): Json => {
  const { $schema: _, ...json } = z.toJSONSchema(schema, { ...OPTIONS, io: 'input' })
  return json
}

/** A schema of the route table as JSON Schema (draft 2020-12); those with an `id` go to `named`. */
export const schemaOf = (schema: z.ZodType, io: 'input' | 'output', named: NamedSchemas): Json => {
  const text = JSON.stringify(z.toJSONSchema(schema, { ...OPTIONS, io })).replaceAll(
    '"#/$defs/',
    '"#/components/schemas/',
  )
  const {
    $schema: _,
    $defs = {},
    ...json
  }: Json & { readonly $defs?: Readonly<Record<string, Json>> } = JSON.parse(text)
  for (const [name, each] of Object.entries($defs)) named.set(name, each)
  return json
}
