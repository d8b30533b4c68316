import { Router } from '@koa/router'
import Koa from 'koa'
import { Pool } from 'pg'

import { listen } from './listen.js'

/** Koa and its router with no layer at all: redirects from nothing, from one prepared select, and one UPDATE. */
const pool = new Pool({ connectionString: process.env['DATABASE_URL'], max: 10 })
const router = new Router()
router.get('/fixed/:code', (ctx) => {
  ctx.redirect('https://example.com/')
})
router.get('/:code', async (ctx) => {
  const {
    rows: [link],
  } = await pool.query<{ target: string }>({
    name: 'find',
    text: 'select target from links where code = $1',
    values: [ctx.params['code']],
  })
  if (link) ctx.redirect(link.target)
})
router.patch('/links/:code', async (ctx) => {
  const chunks: Buffer[] = []
  for await (const chunk of ctx.req) chunks.push(chunk)
  const { target } = JSON.parse(Buffer.concat(chunks).toString())
  const {
    rows: [link],
  } = await pool.query({
    name: 'change',
    text: 'update bare_links set target = $2, updated_at = now(), version = version + 1 where code = $1 returning id, code, target, owner_id, created_at, updated_at',
    values: [ctx.params['code'], target],
  })
  ctx.body = link
})
listen(new Koa().use(router.routes()).callback())
