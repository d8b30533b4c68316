import type { ApiOperation } from './api-document.js'
import type { ExampleRequest } from './examples.js'

/** Quotes for a POSIX shell. */
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

const addressOf = (path: string, request: ExampleRequest): string => {
  const filled = request.path.reduce(
    (before, [name, value]) => before.replace(`{${name}}`, encodeURIComponent(String(value))),
    path,
  )
  const query = request.query
    .flatMap(([name, value]) => [value].flat().map((each) => `${name}=${encodeURIComponent(String(each))}`))
    .join('&')
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
    ...request.headers.map(([name, value]) => `-H ${quoted(`${name}: ${String(value)}`)}`),
    ...(request.form ?? []).map(([name, value]) => `--data-urlencode ${quoted(`${name}=${value}`)}`),
    // not --json, which curl has only since 2022
    ...(request.json === undefined
      ? []
      : ['-H "Content-Type: application/json"', `-d ${quoted(JSON.stringify(request.json, null, 2))}`]),
  ].join(' \\\n  ')
}
