import { z } from 'zod'

import { isObject } from '../domain/is-object.js'
import { pauseEvery } from '../domain/pause-every.js'

const texts = z.array(z.string())

/** The parts of a JSON Schema that the page uses. */
const Schema = z.looseObject({
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
  /** false: no others */
  get additionalProperties() {
    return z.union([z.boolean(), Schema]).optional()
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
export type SchemaJson = z.infer<typeof Schema>

const Media = z.object({
  schema: Schema.default({}),
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
  headers: z
    .record(z.string(), z.object({ description: z.string().optional(), schema: Schema.default({}) }))
    .optional(),
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
  parameters: z.array(Parameter).default([]),
  requestBody: z.object({ content: Content }).optional(),
  responses: z.record(z.string(), Response),
})

const Document = z.object({
  info: z.object({ title: z.string(), version: z.string(), description: z.string().optional() }),
  servers: z.array(z.object({ url: z.string() })),
  tags: z.array(z.object({ name: z.string(), description: z.string().optional() })),
  paths: z.record(z.string(), z.record(z.string(), z.unknown())),
  components: z.object({ schemas: z.record(z.string(), z.unknown()) }),
})

export interface ApiResponse extends Response {
  readonly status: number
}

/** One operation with everything shown about it. */
export interface ApiOperation extends Omit<z.infer<typeof Operation>, 'responses'> {
  readonly method: string
  readonly path: string
  readonly responses: readonly ApiResponse[]
}

/** The media types of a success. */
export const successTypes = (responses: readonly ApiResponse[]): readonly string[] =>
  Object.keys(responses.find(({ status }) => status < 300)?.content ?? {})

/** The parts of the document that the page uses. */
export interface ApiDocument extends Omit<z.infer<typeof Document>, 'paths' | 'components'> {
  readonly operations: readonly ApiOperation[]
  /** of a refusal */
  readonly problem: SchemaJson
}

/** Replaces each reference (`$ref`) in a part of a document by its target. Within itself, a target is left empty. */
const resolverOf = (document: unknown): ((part: unknown) => unknown) => {
  const targets = new Map<string, object>()
  const targetOf = (ref: string): object => {
    const known = targets.get(ref)
    if (known !== undefined) return known
    targets.set(ref, {})
    let target = document
    for (const name of ref.split('/').slice(1)) target = isObject(target) ? target[name] : undefined
    const whole = resolved(target)
    if (!isObject(whole)) throw new Error(`the document has no ${ref}`)
    targets.set(ref, whole)
    return whole
  }
  const resolved = (part: unknown): unknown => {
    if (Array.isArray(part)) return part.map(resolved)
    if (!isObject(part)) return part
    const { $ref: ref, ...own } = part
    const whole = Object.fromEntries(Object.entries(own).map(([name, each]) => [name, resolved(each)]))
    return typeof ref === 'string' ? { ...targetOf(ref), ...whole } : whole
  }
  return resolved
}

/** Reads an OpenAPI 3.1 document, and yields to the event loop between its operations. Throws if it is not one. */
export const readApiDocument = async (json: unknown): Promise<ApiDocument> => {
  const { paths, components, ...document } = Document.parse(json)
  const resolved = resolverOf(json)
  const pause = pauseEvery(1)
  const operations: ApiOperation[] = []
  for (const [path, methods] of Object.entries(paths)) {
    for (const [method, each] of Object.entries(methods)) {
      await pause()
      const { responses, ...operation } = Operation.parse(resolved(each))
      operations.push({
        ...operation,
        method: method.toUpperCase(),
        path,
        responses: Object.entries(responses).map(([status, response]) => ({ ...response, status: Number(status) })),
      })
    }
  }
  return { ...document, operations, problem: Schema.parse(resolved(components.schemas['Problem'] ?? {})) }
}
