import { successTypes, type ApiOperation } from './api-document.js'
import type { ExampleRequest } from './examples.js'

/** The client has no methods for endpoints of browsers and probes. */
const WITHOUT_METHODS: ReadonlySet<string> = new Set(['system', 'pages', 'redirect'])

/** A JSON value in hand-written JavaScript style; long ones are broken into lines. */
export const literal = (value: unknown, indent = ''): string => {
  if (typeof value === 'string')
    return value.includes("'")
      ? JSON.stringify(value)
      : `'${JSON.stringify(value).slice(1, -1).replaceAll('\\"', '"')}'`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'undefined'
  const deeper = `${indent}  `
  const parts = Array.isArray(value)
    ? value.map((each) => literal(each, deeper))
    : Object.entries(value).map(
        ([name, each]) => `${/^[a-z_$][\w$]*$/i.test(name) ? name : `'${name}'`}: ${literal(each, deeper)}`,
      )
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{ ', ' }']
  const line = `${open}${parts.join(', ')}${close}`
  if (parts.length === 0) return Array.isArray(value) ? '[]' : '{}'
  if (line.length < 34 && !line.includes('\n')) return line
  return `${open.trim()}\n${parts.map((part) => `${deeper}${part},\n`).join('')}${indent}${close.trim()}`
}

/** Whether the client returns an iterable: pages of a list, lines of an export, events. */
const isWalked = ({ parameters, responses }: ApiOperation): boolean => {
  const types = successTypes(responses)
  return (
    parameters.some(({ name }) => name === 'cursor') ||
    (types.length > 0 && types.every((type) => /csv|ndjson|event-stream/.test(type)))
  )
}

/** The options after path, body and query: a query next to a body, and the ETag for a change. */
const optionsOf = (
  { query, headers }: ExampleRequest,
  hasBody: boolean,
): readonly Readonly<Record<string, unknown>>[] => {
  const ifMatch = headers.find(([name]) => name === 'If-Match')?.[1]
  const options = {
    ...(hasBody && query.length > 0 && { query: Object.fromEntries(query) }),
    ...(ifMatch !== undefined && { ifMatch }),
  }
  return Object.keys(options).length === 0 ? [] : [options]
}

/**
 * The request as a call of the client: path, then body or query, then options; null if the client has no such method.
 */
export const clientCallOf = (operation: ApiOperation, request: ExampleRequest): string | null => {
  const isForPages = operation['x-layers'].gateway.from !== undefined
  if (isForPages || operation.tags.some((tag) => WITHOUT_METHODS.has(tag))) return null
  const body = request.json ?? (request.form === null ? undefined : Object.fromEntries(request.form))
  const hasBody = body !== undefined
  const values = [
    ...request.path.map(([, value]) => value),
    ...(hasBody ? [body] : []),
    ...(!hasBody && request.query.length > 0 ? [Object.fromEntries(request.query)] : []),
    ...optionsOf(request, hasBody),
  ]
  const call = `client.${operation.operationId}(${values.map((value) => literal(value)).join(', ')})`
  return isWalked(operation) ? `for await (const each of ${call}) {\n  console.log(each)\n}` : `await ${call}`
}
