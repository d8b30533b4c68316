import type { Context } from 'koa'

import { Refusal } from '../../domain/refusal.js'
import { headerOf } from '../../input/header-lines.js'

/**
 * Refuses (403 `cross_site`) whatever no page of this origin sends: a browser adds the cookie to requests of other
 * pages, too. Browsers say where a request comes from (Fetch Metadata), older ones the origin at least (RFC 6454 §7).
 */
export const requireOwnPage = (ctx: Context, origin: string): void => {
  const site = headerOf(ctx, 'sec-fetch-site')
  const isOwn = site === undefined ? headerOf(ctx, 'origin') === origin : site === 'same-origin'
  if (!isOwn) throw new Refusal('cross_site', { detail: `Only pages of ${origin} may send this.` })
}
