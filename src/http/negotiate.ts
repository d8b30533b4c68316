import type { Context } from 'koa'

import type { Answer } from '../layers/route.js'
import { textsIn } from '../pages/pages.js'

/** The first one wins a tie: programs rarely say what they want. */
const TYPES = ['application/json', 'application/problem+json', 'text/html']

/** Content negotiation (RFC 9110 §12.5): a browser gets the answer's page, every other client the answer itself. */
export const negotiate = (ctx: Context, { page, ...answer }: Answer): Answer => {
  if (page === undefined) return answer
  const headers = { ...answer.headers, Vary: 'Accept, Accept-Language' }
  if (ctx.accepts(TYPES) !== 'text/html') return { ...answer, headers }
  const { text, headers: own } = page(textsIn(...ctx.acceptsLanguages()))
  return { ...answer, headers: { ...headers, ...own }, type: 'text/html; charset=utf-8', body: text }
}
