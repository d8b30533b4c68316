import { z } from 'zod'

const texts = z.array(z.string())

/** The parts of a JSON Schema that the page uses; `{}` and `true` allow anything. */
const SchemaObject = z.looseObject({
  $ref: z.string().optional(),
  type: z.union([z.string(), texts]).optional(),
  format: z.string().optional(),
  description: z.string().optional(),
  enum: z.array(z.unknown()).optional(),
  required: texts.optional(),
  get properties() {
    return z.record(z.string(), Schema).optional()
  },
  get items() {
    return Schema.optional()
  },
  get additionalProperties() {
    return Schema.optional()
  },
  get anyOf() {
    return z.array(Schema).optional()
  },
  get oneOf() {
    return z.array(Schema).optional()
  },
  get allOf() {
    return z.array(Schema).optional()
  },
})
const Schema: z.ZodType<SchemaJson | boolean> = z.lazy(() => z.union([z.boolean(), SchemaObject]))

export interface SchemaJson {
  readonly [keyword: string]: unknown
  readonly $ref?: string | undefined
  readonly type?: string | readonly string[] | undefined
  readonly format?: string | undefined
  readonly description?: string | undefined
  readonly enum?: readonly unknown[] | undefined
  readonly required?: readonly string[] | undefined
  readonly properties?: Readonly<Record<string, SchemaJson | boolean>> | undefined
  readonly items?: SchemaJson | boolean | undefined
  readonly additionalProperties?: SchemaJson | boolean | undefined
  readonly anyOf?: readonly (SchemaJson | boolean)[] | undefined
  readonly oneOf?: readonly (SchemaJson | boolean)[] | undefined
  readonly allOf?: readonly (SchemaJson | boolean)[] | undefined
}

const Media = z.object({
  schema: Schema.optional(),
  example: z.unknown().optional(),
  examples: z.record(z.string(), z.object({ value: z.unknown() })).optional(),
})
export type Media = z.infer<typeof Media>

const Content = z.record(z.string(), Media)

const Parameter = z.object({
  name: z.string(),
  in: z.enum(['path', 'query', 'header', 'cookie']),
  required: z.boolean().default(false),
  description: z.string().optional(),
  example: z.unknown().optional(),
  schema: Schema.default({}),
})
export type Parameter = z.infer<typeof Parameter>

const Response = z.object({
  description: z.string(),
  headers: z.record(z.string(), z.object({ description: z.string().optional(), schema: Schema.optional() })).optional(),
  content: Content.optional(),
  'x-problems': z.array(z.object({ code: z.string(), layer: z.string(), title: z.string() })).optional(),
})
type Response = z.infer<typeof Response>

const Layers = z.object({
  gateway: z.object({ scope: z.string(), quota: z.string(), from: z.string().optional() }),
  endpoint: z.string(),
  object: z.string(),
  and: z.string().optional(),
  data: z.string(),
  part: z.string().optional(),
})

const Operation = z.object({
  operationId: z.string(),
  summary: z.string(),
  description: z.string().optional(),
  tags: texts,
  'x-layers': Layers,
  parameters: z.array(z.unknown()).default([]),
  requestBody: z.object({ content: Content }).optional(),
  responses: z.record(z.string(), z.unknown()),
})

const Document = z.object({
  info: z.object({ title: z.string(), version: z.string(), description: z.string().optional() }),
  servers: z.array(z.object({ url: z.string() })),
  tags: z.array(z.object({ name: z.string(), description: z.string().optional() })),
  paths: z.record(z.string(), z.record(z.string(), Operation)),
})

export interface ApiResponse extends Response {
  readonly status: number
}

/** One operation with everything shown about it; parameters, responses and headers are resolved. */
export interface ApiOperation extends Omit<z.infer<typeof Operation>, 'parameters' | 'responses'> {
  readonly method: string
  readonly path: string
  readonly parameters: readonly Parameter[]
  readonly responses: readonly ApiResponse[]
}

/** The target of a schema with `$ref`; any other schema unchanged. */
export type Resolve = (schema: SchemaJson | boolean | undefined) => SchemaJson

/** The parts of the document that the page uses. */
export interface ApiDocument extends Omit<z.infer<typeof Document>, 'paths'> {
  readonly operations: readonly ApiOperation[]
  readonly resolve: Resolve
}

const pointer = (document: unknown, ref: string): unknown => {
  let found = document
  for (const step of ref.replace(/^#\//, '').split('/')) {
    const name = step.replaceAll('~1', '/').replaceAll('~0', '~')
    found = z.record(z.string(), z.unknown()).parse(found)[name]
  }
  return found
}

const Reference = z.object({ $ref: z.string() })

/** Reads an OpenAPI 3.1 document; throws if it is not one. */
export const readApiDocument = (json: unknown): ApiDocument => {
  const { paths, ...document } = Document.parse(json)
  const whole = (part: unknown): unknown => {
    const { data: reference } = Reference.safeParse(part)
    return reference === undefined ? part : whole(pointer(json, reference.$ref))
  }
  const schemas = new Map<string, SchemaJson>()
  const resolve: Resolve = (schema) => {
    if (schema === undefined || typeof schema === 'boolean') return {}
    if (schema.$ref === undefined) return schema
    const { $ref: ref, ...beside } = schema
    const known = schemas.get(ref) ?? resolve(Schema.parse(pointer(json, ref)))
    schemas.set(ref, known)
    return { ...known, ...beside }
  }
  const responseOf = (part: unknown): Response => {
    const { headers = {}, ...response } = Response.parse(whole(part))
    return Response.parse({
      ...response,
      headers: Object.fromEntries(Object.entries(headers).map(([name, header]) => [name, whole(header)])),
    })
  }
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { parameters, responses, ...operation }]) => ({
      ...operation,
      method: method.toUpperCase(),
      path,
      parameters: parameters.map((each) => Parameter.parse(whole(each))),
      responses: Object.entries(responses).map(([status, each]) => ({ ...responseOf(each), status: Number(status) })),
    })),
  )
  return { ...document, operations, resolve }
}
