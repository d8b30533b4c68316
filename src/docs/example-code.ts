import type { ApiOperation } from './api-document.js'
import type { ExampleRequest } from './examples.js'

/** Quotes for a POSIX shell. */
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

const addressOf = (path: string, request: ExampleRequest): string => {
  const filled = request.path.reduce(
    (before, [name, value]) => before.replace(`{${name}}`, encodeURIComponent(value)),
    path,
  )
  const query = request.query.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('&')
  return query === '' ? filled : `${filled}?${query}`
}

/** The request as a command line. */
export const curlOf = (operation: ApiOperation, request: ExampleRequest, baseUrl: string): string => {
  const { method, path } = operation
  const isPublic = operation['x-layers'].gateway.scope === 'public'
  const hasBody = request.json !== undefined || request.form !== null
  const implied = hasBody ? 'POST' : 'GET'
  return [
    `curl ${method === implied ? '' : `-X ${method} `}${quoted(`${baseUrl}${addressOf(path, request)}`)}`,
    ...(isPublic ? [] : ['-H "Authorization: Bearer $TOKEN"']),
    ...request.headers.map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
    ...(request.form ?? []).map(([name, value]) => `--data-urlencode ${quoted(`${name}=${value}`)}`),
    ...(request.json === undefined ? [] : [`--json ${quoted(JSON.stringify(request.json, null, 2))}`]),
  ].join(' \\\n  ')
}

/** A JSON value as JavaScript is written by hand; it breaks into lines where it is long. */
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

/** The request as a call of the client: parts of the path first, then the body, then the query. */
export const clientCallOf = ({ operationId }: ApiOperation, request: ExampleRequest): string => {
  const body = request.json ?? (request.form === null ? undefined : Object.fromEntries(request.form))
  const values = [
    ...request.path.map(([, value]) => value),
    ...(body === undefined ? [] : [body]),
    ...(request.query.length === 0 ? [] : [Object.fromEntries(request.query)]),
  ]
  return `await client.${operationId}(${values.map((value) => literal(value)).join(', ')})`
}
