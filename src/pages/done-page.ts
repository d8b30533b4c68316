import { SIGN_IN_PATH } from '../domain/sign-in-path.js'
import { html, type Html } from './html.js'
import type { Texts } from './languages/languages.js'
import { pageOf, type Page } from './page.js'

/** After a form about an account: what was done, and the way to sign in with it. */
export const donePage = (
  texts: Texts,
  host: string,
  { done, lead }: { readonly done: string; readonly lead: Html | string },
): Page => {
  const body = html`<p>${lead}</p>
    <a class="main" href="${SIGN_IN_PATH}">${texts.signIn}</a>`
  return pageOf(texts, { title: done, body, foot: [host] })
}
