import { Agent, request } from 'node:http'
import type { IncomingHttpHeaders } from 'node:http'

export interface Answer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
}

export interface ConnectionOptions {
  /** another connection for each request */
  readonly fresh?: boolean
}

/** A client with one connection of its own, kept open. It repeats nothing: what fails, fails. */
export interface Connection {
  request(
    method: string,
    path: string,
    options?: { readonly headers?: Readonly<Record<string, string>>; readonly json?: unknown },
  ): Promise<Answer>
  close(): void
}

const REQUEST_WITHIN_MS = 15_000

export const openConnection = (baseUrl: string, { fresh = false }: ConnectionOptions = {}): Connection => {
  const agent = new Agent({ keepAlive: !fresh, maxSockets: 1 })
  return {
    request: (method, path, { headers = {}, json } = {}) =>
      new Promise((resolve, reject) => {
        const body = json === undefined ? undefined : JSON.stringify(json)
        const asked = request(
          `${baseUrl}${path}`,
          {
            agent,
            method,
            timeout: REQUEST_WITHIN_MS,
            headers: {
              ...headers,
              ...(body === undefined
                ? {}
                : { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) }),
            },
          },
          (response) => {
            let text = ''
            response.setEncoding('utf8').on('data', (chunk) => {
              text += String(chunk)
            })
            response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, text }))
            response.on('error', reject)
          },
        )
        asked.on('timeout', () => asked.destroy(new Error('no answer')))
        asked.on('error', reject)
        asked.end(body)
      }),
    close: () => agent.destroy(),
  }
}
