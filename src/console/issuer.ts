import { toBase64url } from './parts/base64url'

/** The sign-in method, as the service wrote it into the document. */
type SignInWay = 'password' | 'issuer' | 'issuer away' | 'not set up'

const content = document.querySelector<HTMLMetaElement>('meta[name="sign-in"]')?.content ?? 'password'

export const signInWay: SignInWay =
  content === 'password' || content === 'issuer away' || content === 'not set up' ? content : 'issuer'

/** The issuer's name for people: its host. */
export const issuerHost = (): string => (signInWay === 'issuer' ? new URL(content).host : '')

/** The path to which the issuer sends people back. */
const RETURN_PATH = '/console/signed-in'

/** The sessionStorage key for state that survives the redirect to the issuer and back, in this tab only. */
const KEPT = 'linkgate-sign-in'

const random = (): string => toBase64url(crypto.getRandomValues(new Uint8Array(32)))

/** Goes to the issuer: authorization code with PKCE (RFC 7636). False if this browser stores nothing for pages. */
export const goToIssuer = async (): Promise<boolean> => {
  const [state, verifier] = [random(), random()]
  const here = location.pathname === RETURN_PATH ? '/console' : location.pathname + location.search + location.hash
  try {
    sessionStorage.setItem(KEPT, JSON.stringify([state, verifier, here]))
  } catch {
    return false
  }
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier))
  const url = new URL(content)
  url.searchParams.set('state', state)
  url.searchParams.set('code_challenge', toBase64url(new Uint8Array(digest)))
  location.assign(url)
  return true
}

/** Opens the issuer in a new tab: this page stays as it is, and continues once its user is signed in there. */
export const openIssuer = (): void => {
  open('/console', '_blank', 'noopener')
}

/** Why the issuer signed nobody in. */
interface IssuerRefusal {
  /** of RFC 6749, such as `access_denied` */
  readonly error: string
  /** the issuer's words */
  readonly description: string | null
}
let refusal: IssuerRefusal | null = null

/** The refusal with which the issuer sent the user back; null if there is none. */
export const issuerRefusal = (): IssuerRefusal | null => refusal

/** Null also where the browser keeps nothing for pages: nobody has gone to the issuer from there. */
const takeKept = (): string | null => {
  try {
    const kept = sessionStorage.getItem(KEPT)
    sessionStorage.removeItem(KEPT)
    return kept
  } catch {
    return null
  }
}

/**
 * The issuer's response, and the page where the user was before; null if there is none, or if this tab did not request
 * it (the state differs). After a refusal, the user is back on that page.
 */
export const takeReturn = (): {
  readonly credentials: { readonly code: string; readonly code_verifier: string }
  readonly here: string
} | null => {
  const kept = takeKept()
  refusal = null
  const given = new URLSearchParams(location.search)
  if (location.pathname !== RETURN_PATH || kept === null) return null
  const [state, verifier, here]: string[] = JSON.parse(kept)
  if (state === undefined || verifier === undefined || given.get('state') !== state) return null
  const [code, error] = [given.get('code'), given.get('error')]
  if (error !== null) {
    refusal = { error, description: given.get('error_description') }
    history.replaceState(null, '', here ?? '/console')
  }
  if (code === null || error !== null) return null
  return { credentials: { code, code_verifier: verifier }, here: here ?? '/console' }
}
