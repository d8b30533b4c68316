import type { Context } from 'koa'

import { Refusal } from '../../domain/refusal.js'
import { headerOf } from '../../input/header-lines.js'

/**
 * Refuses (403 `cross_site`) a request that does not come from a page of this origin: browsers send the cookie with
 * requests from other pages, too. Browsers declare the source (Fetch Metadata), older ones at least the origin (RFC
 * 6454 §7).
 */
export const requireOwnPage = (ctx: Context, origin: string): void => {
  const site = headerOf(ctx, 'sec-fetch-site')
  const isOwn = site === undefined ? headerOf(ctx, 'origin') === origin : site === 'same-origin'
  if (!isOwn) throw new Refusal('cross_site', { detail: `Only pages of ${origin} may send this.` })
}
