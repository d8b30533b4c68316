import { randomUUID } from 'node:crypto'

import { Router } from '@koa/router'
import helmet from 'helmet'
import Koa from 'koa'
import koaRatelimit from 'koa-ratelimit'
import { pino } from 'pino'
import { Histogram } from 'prom-client'

import { listen } from './listen.js'

/**
 * A redirect from nothing by Koa and the parts that ours has as well, each as its documentation shows it: an id for the
 * request, security headers, a limit for the address, a histogram and a line of the log. No layer, policy or visit.
 */
const log = pino(pino.destination({ dest: 1, sync: false, minLength: 4_096 }))
const durations = new Histogram({
  name: 'http_request_duration_seconds',
  help: 'Requests by method, route and status',
  labelNames: ['method', 'route', 'status'],
})
const secure = helmet()

const app = new Koa()
app.use(async (ctx, next) => {
  const startedAt = performance.now()
  const id = randomUUID()
  ctx.set('X-Request-ID', id)
  ctx.res.once('close', () => {
    const { method, status } = ctx
    const seconds = (performance.now() - startedAt) / 1_000
    durations.observe({ method, route: '/:code', status }, seconds)
    log.info({ request_id: id, method, route: '/:code', status, duration_ms: seconds * 1_000, address: ctx.ip })
  })
  await next()
})
app.use(
  (ctx, next) =>
    new Promise((resolve, reject) => {
      secure(ctx.req, ctx.res, (error) => (error === undefined ? resolve(next()) : reject(error)))
    }),
)
app.use(koaRatelimit({ driver: 'memory', db: new Map(), max: 9_999_999, duration: 60_000 }))

const router = new Router()
router.get('/:code', (ctx) => {
  ctx.redirect('https://example.com/')
})
listen(app.use(router.routes()).callback())
