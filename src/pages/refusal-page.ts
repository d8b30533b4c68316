import type { RefusalCode } from '../domain/refusal.js'
import { html, type Html } from './html.js'
import type { Texts } from './languages/languages.js'
import { pageOf, shownAddress, type PageIn } from './page.js'
import { passwordPage } from './password-page.js'

/** The data of a page about a refusal. Details meant for programs do not appear in it. */
interface Refused {
  readonly code: RefusalCode
  readonly status: number
  /** seconds, if the refusal says when to retry */
  readonly retryAfter: number | undefined
  /** the kind of thing that was requested */
  readonly about: 'link' | 'invitation' | 'account' | 'address'
  /** the code of the link, if it is about one */
  readonly linkCode: string | undefined
  /** the host of the service */
  readonly host: string
  readonly requestId: string
}

interface Words {
  readonly title: string
  readonly lead: string | Html
}

/** What happened and what to do, for a person who followed a link. */
export const refusalPage = (refused: Refused): PageIn => {
  const { code, status, host, requestId, linkCode } = refused
  if (linkCode !== undefined && (code === 'password_required' || code === 'wrong_password'))
    return passwordPage({ code: linkCode, host, status, fault: code === 'wrong_password' ? 'wrong' : null, requestId })
  return (texts) => {
    const { title, lead } = wordsOf(refused, texts)
    const body = html`<p>${lead}</p>`
    return pageOf(texts, { title, body, foot: [`${status} · ${host}`, texts.request(requestId)], ended: true })
  }
}

const wordsOf = (refused: Refused, texts: Texts): Words => {
  const { status, about, host, linkCode, retryAfter } = refused
  const { refusals } = texts
  const address = linkCode === undefined ? html`<strong>${host}</strong>` : shownAddress(host, linkCode)
  if (status === 404) {
    if (about === 'link' && linkCode !== undefined) return filled(refusals.link, address)
    return about === 'invitation' ? refusals.invitation : refusals.address
  }
  if (status === 410) {
    if (about === 'account') return refusals.over
    return about === 'invitation' ? refusals.gone : filled(refusals.ended, address)
  }
  // a mailed link that a mail program has cut or added to
  if (status === 400 && about === 'account') return refusals.damaged
  if (status === 429) return filled(refusals.limited, inTime(texts, retryAfter ?? 60))
  if (status === 503) {
    // so few seconds are not worth counting
    const soon = retryAfter === undefined || retryAfter < 10
    return filled(refusals.busy, soon ? refusals.busy.soon : inTime(texts, retryAfter))
  }
  if (status >= 500) return refusals.failed
  if (status === 401) return refusals.signIn
  if (status === 403) return refusals.forbidden
  return status === 405 ? refusals.method : refusals.rejected
}

const filled = <Gap>(
  { title, lead }: { readonly title: string; readonly lead: (gap: Gap) => string | Html },
  gap: Gap,
): Words => ({ title, lead: lead(gap) })

/** Such as "in 12 seconds"; minutes and hours are rounded up, so that nobody retries too early. */
const inTime = ({ language }: Texts, seconds: number): string => {
  const format = new Intl.RelativeTimeFormat(language)
  if (seconds < 100) return format.format(seconds, 'second')
  const minutes = Math.ceil(seconds / 60)
  return minutes < 100 ? format.format(minutes, 'minute') : format.format(Math.ceil(minutes / 60), 'hour')
}
