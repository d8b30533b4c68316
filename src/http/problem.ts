import type { Context } from 'koa'

import { isCode } from '../domain/link.js'
import { MOST_ERRORS, type Fault, type Refusal } from '../domain/refusal.js'
import { refusalPage, type PageIn } from '../pages/pages.js'
import { codeIn } from './finished-request.js'
import { respond } from './respond.js'

/** When a quota resets, as a sentence for those who do not see the headers. */
const whenAgain = ({ code, headers: { 'Retry-After': seconds } }: Refusal): string | undefined =>
  code !== 'rate_limited' || seconds === undefined
    ? undefined
    : `Try again in ${seconds} ${seconds === '1' ? 'second' : 'seconds'}.`

const MOST_FAULTS = 3
// an unknown field's name comes from the caller, so its length is limited
const MOST_OF_FIELD = 100

/** Truncates by code points, not UTF-16 units (one or two per code point), so no character is split. */
const nameOf = (field: string): string =>
  Array.from(field.slice(0, 2 * MOST_OF_FIELD))
    .slice(0, MOST_OF_FIELD)
    .join('')
    .replaceAll('\0', '\uFFFD')

/** The first faults as a sentence. */
const sentenceOf = (faults: readonly Fault[] = []): string | undefined => {
  if (faults.length === 0) return undefined
  const said = faults
    .slice(0, MOST_FAULTS)
    .map(({ field, message }) => (field === '' ? message : `${nameOf(field)}: ${message}`))
  const left = faults.length - said.length
  const sentence = `${[...said, ...(left > 0 ? [`and ${left} more`] : [])].join('; ')}.`
  // a sentence that begins with a field's name keeps its case
  return faults[0]?.field === '' ? `${sentence.slice(0, 1).toUpperCase()}${sentence.slice(1)}` : sentence
}

/** What is wrong with this request in particular; the code's advice if nothing is known. */
export const detailOf = (refusal: Refusal): string | undefined =>
  refusal.detail ?? sentenceOf(refusal.errors) ?? whenAgain(refusal) ?? refusal.advice

/** A refusal as problem details (RFC 9457). */
export const problemOf = (refusal: Refusal, requestId: string): object => {
  const { extensions, code, title, status, errors } = refusal
  return {
    ...extensions,
    type: `urn:linkgate:problem:${code}`,
    title,
    status,
    detail: detailOf(refusal),
    code,
    request_id: requestId,
    errors: errors?.slice(0, MOST_ERRORS),
  }
}

const aboutOf = (route: string): 'invitation' | 'account' | 'address' => {
  if (route.startsWith('/invitations/')) return 'invitation'
  return route.startsWith('/auth/') ? 'account' : 'address'
}

/** The page for a refusal. If a form failed validation, it is the form again, with its faults. */
const pageOf = (refusal: Refusal, { state, params }: Context, host: string): PageIn => {
  const { code, status, errors, headers } = refusal
  const { requestId } = state
  const named = codeIn(params)
  const linkCode = isCode(named) && state.route?.includes(':code') ? named : undefined
  if (code === 'validation_failed' && state.form !== undefined)
    return state.form(errors ?? [], state.sent, { linkCode: linkCode ?? '', requestId })
  return refusalPage({
    code,
    status,
    retryAfter: headers['Retry-After'] === undefined ? undefined : Number(headers['Retry-After']),
    about: linkCode !== undefined ? 'link' : aboutOf(state.route ?? ''),
    linkCode,
    host,
    requestId,
  })
}

/**
 * Answers with problem details, or with a page if the client prefers HTML. Never cached: a cache may keep a 404
 * (RFC 9110 §15.5.5) and serve it after the link was created.
 */
export const writeProblem = (ctx: Context, refusal: Refusal, host: string): void => {
  // the rest of the body will not be read, so the connection closes after the answer
  if (refusal.code === 'deadline_exceeded' && !ctx.req.complete) ctx.state.headers.set('Connection', 'close')
  respond(ctx, {
    status: refusal.status,
    headers: { 'Cache-Control': 'no-store', ...refusal.headers },
    type: 'application/problem+json',
    body: problemOf(refusal, ctx.state.requestId),
    page: pageOf(refusal, ctx, host),
  })
}
