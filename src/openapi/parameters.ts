import { LONGEST_REQUEST_ID, REQUEST_ID } from '../domain/request-id.js'
import { KEY_LIFE_HOURS } from '../layers/4-data/idempotency.js'
import { asksPolicy, type Route } from '../layers/route.js'
import { ANY_TEXT, schemaOf, type Json, type NamedSchemas } from './schemas.js'

const header = (name: string, description: string, schema: Json, required = false): Json => ({
  name,
  in: 'header',
  required,
  description,
  schema: { type: 'string', ...schema },
})

const TAG = { maxLength: 200, pattern: ANY_TEXT, examples: ['"42-7"'] } as const

/** Request headers, by their name in `components.parameters`. */
export const HEADER_PARAMETERS = {
  PolicyAtLeast: header('Policy-At-Least', 'Decide under this revision of the policy or a newer one; otherwise 412.', {
    pattern: '^[0-9]{1,15}$',
    maxLength: 15,
  }),
  RequestId: header('X-Request-ID', 'The caller’s id for this request, which the log and the response then contain.', {
    pattern: REQUEST_ID.source,
    maxLength: LONGEST_REQUEST_ID,
  }),
  IdempotencyKey: header(
    'Idempotency-Key',
    `The caller’s key for this creation. A retry with the same body within ${KEY_LIFE_HOURS} hours creates nothing ` +
      'and gets the same response, with `Idempotent-Replayed: true`; 409 if that contained a secret. 422 with ' +
      'another body; 409 while the first request is in progress.',
    { pattern: '^[\\x21-\\x7e]{1,255}$', maxLength: 255 },
  ),
  IfMatch: header('If-Match', 'Change the record only if it still has this ETag; otherwise 412.', TAG),
  IfMatchRequired: header('If-Match', 'The ETag of the version that was read; 412 if it has changed since.', TAG, true),
  SecFetchSite: {
    ...header('Sec-Fetch-Site', 'Sent automatically by browsers; for those that do not send it, `Origin` is checked.', {
      enum: ['same-origin'],
    }),
    example: 'same-origin',
  },
  IfNoneMatch: header('If-None-Match', 'Respond with 304 if the record still has this ETag.', TAG),
} as const satisfies Readonly<Record<string, Json>>

const named = (name: keyof typeof HEADER_PARAMETERS): Json => ({ $ref: `#/components/parameters/${name}` })

/** The parameters of an operation: path, query and headers. */
export const parametersOf = (route: Route, schemas: NamedSchemas): readonly Json[] => {
  const { gateway, params, query, idempotent, documentation } = route
  const listed = (schema: Route['query'], place: 'path' | 'query'): readonly Json[] => {
    if (schema === undefined) return []
    const { properties = {}, required = [] }: ObjectSchema = schemaOf(schema, 'input', schemas)
    return Object.entries(properties).map(([name, { description, ...each }]) => ({
      name,
      in: place,
      required: place === 'path' || required.includes(name),
      description,
      schema: each,
      ...(documentation.example?.query?.[name] !== undefined && { example: documentation.example.query[name] }),
    }))
  }
  return [
    ...listed(params, 'path'),
    ...listed(query, 'query'),
    ...(idempotent ? [named('IdempotencyKey')] : []),
    ...(documentation.ifMatch === 'optional' ? [named('IfMatch')] : []),
    ...(documentation.ifMatch === 'required' ? [named('IfMatchRequired')] : []),
    ...(documentation.tagged === 'read' ? [named('IfNoneMatch')] : []),
    ...(gateway.from === undefined ? [] : [named('SecFetchSite')]),
    ...(asksPolicy(route) ? [named('PolicyAtLeast')] : []),
    named('RequestId'),
  ]
}

interface ObjectSchema {
  readonly properties?: Readonly<Record<string, Json>>
  readonly required?: readonly string[]
}
