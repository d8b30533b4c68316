import { createServer } from 'node:http'

import type { Metrics } from '../metrics/metrics.js'
import { listen, urlOf } from './listen.js'

/** Serves only `/metrics`, for collectors on a private network. Throws StartError if it cannot listen. */
export const openMetricsServer = async (
  metrics: Pick<Metrics, 'text' | 'contentType'>,
  { host, port }: { readonly host: string; readonly port: number },
): Promise<{ readonly url: string; close(): Promise<void> }> => {
  const server = createServer({ headersTimeout: 10_000, requestTimeout: 10_000 }, (request, response) => {
    const answer = (status: number, headers: Readonly<Record<string, string>> = {}, body = '') =>
      response.writeHead(status, { 'Content-Length': Buffer.byteLength(body), ...headers }).end(body)
    if (request.url !== '/metrics') answer(404)
    else if (request.method !== 'GET' && request.method !== 'HEAD') answer(405, { Allow: 'GET, HEAD' })
    else
      metrics.text().then(
        (text) => answer(200, { 'Content-Type': metrics.contentType }, text),
        () => answer(500),
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
