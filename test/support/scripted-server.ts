import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'

export interface Asked {
  readonly method: string
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

export interface Scripted {
  readonly status?: number
  readonly type?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  /** the connection is closed: before anything is answered, or behind `body` */
  readonly breaksOff?: 'before' | 'after'
  /** the answer waits for it */
  readonly until?: Promise<unknown>
}

export interface ScriptedServer {
  readonly baseUrl: string
  /** every request so far */
  readonly asked: readonly Asked[]
  stop(): Promise<void>
}

/** An answer with JSON, or with a problem where the status is one of a refusal. */
export const json = (body: object, status = 200, headers: Readonly<Record<string, string>> = {}): Scripted => ({
  status,
  type: status < 400 ? 'application/json; charset=utf-8' : 'application/problem+json',
  headers,
  body: JSON.stringify(body),
})

/** A refusal as the service writes it. */
export const problem = (status: number, code: string, headers: Readonly<Record<string, string>> = {}): Scripted =>
  json({ type: `urn:linkgate:problem:${code}`, title: code, status, code, request_id: 'scripted' }, status, headers)

/** A server over real HTTP that answers what a test says. Stop it in `after`. */
export const startScriptedServer = async (
  answer: (asked: Asked, before: number) => Scripted | Promise<Scripted>,
): Promise<ScriptedServer> => {
  const asked: Asked[] = []
  const write = async (response: ServerResponse, scripted: Scripted): Promise<void> => {
    await scripted.until
    const { status = 200, type = 'application/json', headers = {}, body = '', breaksOff } = scripted
    if (breaksOff === 'before') return void response.destroy()
    response.writeHead(status, { 'Content-Type': type, ...headers })
    if (breaksOff === undefined) return void response.end(body)
    response.write(body, () => response.destroy())
  }
  const server = createServer((request, response) => {
    void (async () => {
      const { method = '', url: path = '', headers } = request
      const seen: Asked = { method, path, headers, body: await text(request) }
      asked.push(seen)
      await write(response, await answer(seen, asked.length - 1))
    })()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the server has no port')
  return {
    baseUrl: `http://127.0.0.1:${address.port}`,
    asked,
    stop: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
