import { Agent, request, type IncomingHttpHeaders } from 'node:http'

export interface Answer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
  readonly body: Buffer
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
            const chunks: Buffer[] = []
            response.on('data', (chunk: Buffer) => chunks.push(chunk))
            response.on('end', () => {
              const body = Buffer.concat(chunks)
              const { statusCode: status = 0, headers } = response
              resolve({ status, headers, text: body.toString('utf8'), body })
            })
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
