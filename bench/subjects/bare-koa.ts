import { createPublicKey } from 'node:crypto'
import { readFileSync } from 'node:fs'

import { Router } from '@koa/router'
import Koa, { type Context } from 'koa'
import koaJwt from 'koa-jwt'
import { Pool, type QueryConfig } from 'pg'

import { listen } from './listen.js'

/**
 * Koa and its router by hand, with no layer: a redirect from nothing and from one prepared select, a public link, and a
 * creation and a change that do the same work as ours: verify the token, read the user and the link at the same time,
 * and commit the change with one row of a log in one pipelined transaction.
 */
const pool = new Pool({ connectionString: process.env['DATABASE_URL'], max: 10, pipeline: true })
const router = new Router()

const query = async (name: string, text: string, values: readonly unknown[]) =>
  (await pool.query({ name, text, values: [...values] })).rows[0]
const findUser = (id: unknown) =>
  query('user', 'select id, role, suspended_at is not null as suspended from users where id = $1', [id])
const findLink = (code: unknown) => query('find', 'select * from bare_links where code = $1', [code])

const LOG =
  'insert into bare_log (user_id, role, action, code, effect, rule, status) values ($1, $2, $3, $4, $5, $6, $7)'

/** Commits one change and one row of the log, in one flush. */
const commit = async (change: QueryConfig, log: readonly unknown[]) => {
  const client = await pool.connect()
  try {
    const [, changed] = await Promise.all([
      client.query('begin'),
      client.query(change),
      client.query({ name: 'log', text: LOG, values: [...log] }),
      client.query('commit'),
    ])
    return changed.rows[0]
  } finally {
    client.release()
  }
}

const bodyOf = async (ctx: Context) => {
  const chunks: Buffer[] = []
  for await (const chunk of ctx.req) chunks.push(chunk)
  return JSON.parse(Buffer.concat(chunks).toString())
}

router.get('/fixed/:code', (ctx) => {
  ctx.redirect('https://example.com/')
})
router.get('/fixed-link', (ctx) => {
  ctx.body = { code: 'fixed', target: 'https://example.com/' }
})
router.get('/links/:code', async (ctx) => {
  const link = await findLink(ctx.params['code'])
  ctx.body = { code: link.code, target: link.target }
})
router.get('/counted/:code', async (ctx) => {
  const text = 'update bare_links set used = used + 1 where code = $1 and used < max_visits returning target'
  const link = await query('count', text, [ctx.params['code']])
  if (link) ctx.redirect(link.target)
})
router.get('/clicked/:code', async (ctx) => {
  const text = 'with click as (insert into bare_clicks (code) values ($1)) select target from links where code = $1'
  const link = await query('click', text, [ctx.params['code']])
  if (link) ctx.redirect(link.target)
})
router.get('/:code', async (ctx) => {
  const link = await query('follow', 'select target from links where code = $1', [ctx.params['code']])
  if (link) ctx.redirect(link.target)
})

const keyFile = process.env['JWT_SIGNING_KEY_FILE']
if (keyFile !== undefined) {
  const secret = createPublicKey(readFileSync(keyFile)).export({ type: 'spki', format: 'pem' }).toString()
  const verified = koaJwt({ secret, algorithms: ['ES256'] })
  router.post('/links', verified, async (ctx) => {
    const [user, { target }] = await Promise.all([findUser(ctx.state['user'].sub), bodyOf(ctx)])
    const code = Math.random().toString(36).slice(2, 10)
    const text = 'insert into bare_links (code, target, owner_id) values ($1, $2, $3) returning *'
    ctx.body = await commit({ name: 'make', text, values: [code, target, user.id] }, [
      user.id,
      user.role,
      'link:create',
      code,
      'allow',
      'R4',
      201,
    ])
    ctx.status = 201
  })
  router.patch('/links/:code', verified, async (ctx) => {
    const { code } = ctx.params
    const [user, link, { target }] = await Promise.all([findUser(ctx.state['user'].sub), findLink(code), bodyOf(ctx)])
    if (link.owner_id !== user.id && user.role !== 'admin') ctx.throw(403)
    const text = `
      update bare_links set target = $2, updated_at = now(), version = version + 1 where code = $1 returning *`
    ctx.body = await commit({ name: 'change', text, values: [code, target] }, [
      user.id,
      user.role,
      'link:update',
      code,
      'allow',
      'R5',
      200,
    ])
  })
}
listen(new Koa().use(router.routes()).callback())
