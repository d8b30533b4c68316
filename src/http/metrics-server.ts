import { createServer } from 'node:http'

import type { Answer } from '../layers/route.js'
import type { Metrics } from '../metrics/metrics.js'
import { listen, urlOf } from './listen.js'

interface Watched {
  readonly metrics: Pick<Metrics, 'text' | 'contentType'>
  /** the handlers of `/healthz` and `/readyz` on the public port */
  readonly health: Readonly<Record<'/healthz' | '/readyz', () => Promise<Answer> | Answer>>
  /** called with the error of a request that is answered 500 */
  readonly onFault: (error: unknown) => void
}

/**
 * Serves `/metrics`, `/healthz` and `/readyz` without a rate limit, to collectors and probes in a private network.
 * Throws StartError if it cannot listen.
 */
export const openMetricsServer = async (
  { metrics, health, onFault }: Watched,
  { host, port }: { readonly host: string; readonly port: number },
): Promise<{ readonly url: string; close(): Promise<void> }> => {
  const asked = (path: string | undefined) => {
    if (path === '/metrics')
      return async () => ({ status: 200, type: metrics.contentType, headers: {}, body: await metrics.text() })
    if (path !== '/healthz' && path !== '/readyz') return undefined
    return async () => {
      const { status, body, headers = {} } = await health[path]()
      return { status, type: 'application/json; charset=utf-8', headers, body: JSON.stringify(body) }
    }
  }
  const server = createServer({ headersTimeout: 10_000, requestTimeout: 10_000 }, (request, response) => {
    const answer = (status: number, headers: Readonly<Record<string, string>> = {}, body = '') =>
      response.writeHead(status, { 'Content-Length': Buffer.byteLength(body), ...headers }).end(body)
    const ask = asked(request.url)
    if (ask === undefined) answer(404)
    else if (request.method !== 'GET' && request.method !== 'HEAD') answer(405, { Allow: 'GET, HEAD' })
    else
      ask().then(
        ({ status, type, body, headers }) => answer(status, { 'Content-Type': type, ...headers }, body),
        (error: unknown) => {
          onFault(error)
          answer(500)
        },
      )
  })
  await listen(server, { host, port, setting: 'METRICS_PORT' })
  return {
    url: `${urlOf(server)}/metrics`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
