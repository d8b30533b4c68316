/**
 * About the least that a redirect with our headers can cost: `node:http` alone, and by hand an id for the request, a
 * limit for the address, a histogram, a line of the log and a note of the visit, which nothing writes. There is one
 * link, and no layer, router, deadline or policy, nor the header that names its revision.
 */

import { randomUUID } from 'node:crypto'

import { Histogram } from 'prom-client'

import { securityHeaders } from '../../src/http/security-headers.js'
import { listen } from './listen.js'

const durations = new Histogram({
  name: 'http_request_duration_seconds',
  help: 'Requests by method, route and status',
  labelNames: ['method', 'route', 'status'],
})
const observed = durations.labels('GET', '/:code', '302')
const links = new Map([['/bench-1', 'https://example.com/']])
const requests = new Map<string, { left: number; resetAt: number }>()
let lines: string[] = []
let visits: unknown[] = []
setInterval(() => {
  process.stdout.write(lines.join(''))
  lines = []
  visits = []
}, 50)

const COMMON = securityHeaders(false)

listen((req, res) => {
  const startedAt = performance.now()
  const id = randomUUID()
  const address = req.socket.remoteAddress ?? ''
  let count = requests.get(address)
  if (count === undefined || count.resetAt <= startedAt) {
    count = { left: 9_999_999, resetAt: startedAt + 60_000 }
    requests.set(address, count)
  }
  count.left -= 1
  const target = count.left < 0 ? undefined : links.get(req.url ?? '')
  res.on('close', () => {
    const seconds = (performance.now() - startedAt) / 1_000
    observed.observe(seconds)
    lines.push(
      `{"level":"info","time":"${new Date().toISOString()}","request_id":"${id}","method":"GET","route":"/:code",` +
        `"status":302,"duration_ms":${seconds * 1_000},"address":"${address}","msg":"request"}\n`,
    )
  })
  res.writeHead(target === undefined ? 404 : 302, [
    ...COMMON,
    'X-Request-ID',
    id,
    'RateLimit-Policy',
    '"anonymous";q=9999999;w=60',
    'RateLimit',
    `"anonymous";r=${count.left};t=${Math.ceil((count.resetAt - startedAt) / 1_000)}`,
    'Location',
    target ?? '',
    'Cache-Control',
    'no-cache',
    'Content-Length',
    '0',
  ])
  const { 'user-agent': agent, referer } = req.headers
  visits.push({ address, agent, referer, at: startedAt })
  res.end()
})
