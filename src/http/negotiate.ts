import type { Context } from 'koa'

import type { Answer } from '../layers/route.js'
import { LANGUAGE_TAGS, textsIn } from '../pages/pages.js'

/** In the order in which they are taken where a caller likes several as much: programs rarely say what they want. */
const TYPES = ['application/json', 'application/problem+json', 'text/html']

/** The answer as this caller wants it (RFC 9110 §12.5): a browser gets its page, everybody else what programs read. */
export const negotiate = (ctx: Context, { page, ...answer }: Answer): Answer => {
  if (page === undefined) return answer
  const headers = { ...answer.headers, Vary: 'Accept, Accept-Language' }
  if (ctx.accepts(TYPES) !== 'text/html') return { ...answer, headers }
  const { text, headers: own } = page(textsIn(ctx.acceptsLanguages([...LANGUAGE_TAGS])))
  return { ...answer, headers: { ...headers, ...own }, type: 'text/html; charset=utf-8', body: text }
}
