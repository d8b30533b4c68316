import { signal } from '@preact/signals'
import { LinkgateProblem } from 'linkgate/client'

import { takeReturn } from './issuer'
import { binaryIn } from './parts/base64url'

/**
 * The session. The access token is only in this page's memory; the refresh token is a cookie that scripts cannot read,
 * and that all tabs share.
 */
type Session =
  | { readonly is: 'opening' }
  | { readonly is: 'signed out' }
  | { readonly is: 'signed in' }
  /**
   * The page stays, with everything typed; pending requests continue once its user has signed in again.
   * `isElsewhere`: the user signed out in another tab, so the page must not be seen until then.
   */
  | { readonly is: 'ended'; readonly at: Date; readonly isElsewhere: boolean }

export const session = signal<Session>({ is: 'opening' })

interface Access {
  readonly token: string
  readonly endsAt: number
}

/** The response of `POST /auth/session` and of its renewal. */
interface SessionAnswer {
  readonly access_token: string
  readonly expires_in: number
}

/** How many milliseconds before its expiry a token is renewed. */
const EARLY_MS = 30_000
/** How long a request for the session may take, in milliseconds. */
const LONGEST_MS = 30_000

let access: Access | null = null
/** a token that the service refused: its sign-in ended, or rights were taken away */
let refusedToken: string | null = null
let renewal: Promise<boolean> | undefined
/** requests that wait until the user is signed in */
let waiting: ((token: string) => void)[] = []
/** the user whom this document belongs to: the first who signed in, also after they signed out */
let owner: string | null = null

/** The id of the user whom this document belongs to. */
export const userId = (): string | null => owner

const tabs = new BroadcastChannel('linkgate-session')

const problemOf = async (response: Response): Promise<LinkgateProblem> => {
  const { status } = response
  const after = Number(response.headers.get('Retry-After'))
  const options = after > 0 ? { retryAfter: after } : {}
  try {
    return new LinkgateProblem({ ...(await response.json()), status }, options)
  } catch {
    return new LinkgateProblem(
      { status, code: 'unexpected_answer', title: 'The answer is not one of Linkgate' },
      options,
    )
  }
}

const noAnswer = (cause: unknown): never => {
  throw new LinkgateProblem({ status: 0, code: 'network_error', title: 'No answer came' }, { cause })
}

/**
 * `keepalive`: a page that is closed during a renewal still gets the next cookie. With a time limit, because a dead
 * connection would keep the other tabs from renewing.
 */
const send = (method: 'POST' | 'DELETE', path: string, body?: object): Promise<Response> =>
  fetch(path, {
    method,
    keepalive: true,
    signal: AbortSignal.timeout(LONGEST_MS),
    headers: { Accept: 'application/json, application/problem+json', 'Content-Type': 'application/json' },
    body: body === undefined ? null : JSON.stringify(body),
  }).catch(noAnswer)

const accessIn = (response: Response): Promise<SessionAnswer> => response.json().catch(noAnswer)

/** Takes an access token. If it is another user's, the page starts over, and nothing is sent in their name. */
const take = async ({ access_token: token, expires_in: seconds }: SessionAnswer): Promise<void> => {
  const subject = subjectOf(token)
  if (owner !== null && owner !== subject) await startOver()
  owner = subject
  access = { token, endsAt: Date.now() + seconds * 1_000 }
  session.value = { is: 'signed in' }
  for (const resume of waiting.splice(0)) resume(token)
}

/** Loads the console anew. Never resolves: what was typed here, or waits, ends with the page. */
const startOver = (): Promise<never> => {
  access = null
  waiting = []
  // closes the page's forms first: one with unsaved changes would ask whether to leave, and who stays has no session
  session.value = { is: 'opening' }
  // Back may show this document again as it was left: blank
  addEventListener('pageshow', () => location.reload())
  setTimeout(() => location.assign('/console'))
  return new Promise(() => undefined)
}

/**
 * Serializes whatever sets the cookie, across tabs: each tab spends the one that the previous one received, and no late
 * answer replaces or takes away that of a new sign-in.
 */
const inTurn = <T>(work: () => Promise<T>): Promise<T> =>
  'locks' in navigator ? navigator.locks.request('linkgate-session', work) : work()

/**
 * False if the user is no longer signed in. A refusal that arrives after a new sign-in concerns the previous one, and
 * ends nothing.
 */
const renew = (): Promise<boolean> =>
  (renewal ??= inTurn(async () => {
    const before = access
    const response = await send('POST', '/auth/session/refresh')
    if (response.ok) {
      await take(await accessIn(response))
      return true
    }
    if (response.status !== 401) throw await problemOf(response)
    if (access === before) access = null
    return access !== null
  }).finally(() => {
    renewal = undefined
  }))

/**
 * A token for a request. If the sign-in has ended, it waits until the same user has signed in again, so that no pending
 * work is lost.
 */
export const token = async (): Promise<string> => {
  if (access !== null && access.token !== refusedToken && access.endsAt - EARLY_MS > Date.now()) return access.token
  await renew()
  if (access !== null) return access.token
  if (session.value.is === 'signed in') session.value = { is: 'ended', at: new Date(), isElsewhere: false }
  return new Promise((resolve) => waiting.push(resolve))
}

/** Called after a 401: the next request gets another token. */
export const refuse = (authorization: string | null): void => {
  if (access !== null && authorization === `Bearer ${access.token}`) refusedToken = access.token
}

/**
 * The user's id: the subject of the token, which is only read here; the service verifies it. Throws LinkgateProblem if
 * it cannot be read: an issuer that was not set up for this service may give out opaque tokens.
 */
const subjectOf = (jwt: string): string => {
  try {
    const claims = JSON.parse(binaryIn(jwt.split('.')[1] ?? ''))
    return String(claims.sub)
  } catch (cause) {
    throw new LinkgateProblem({ status: 401, code: 'invalid_token', title: 'The token is no JWT' }, { cause })
  }
}

/** Restores the session of this browser, or completes a sign-in at an issuer. `onProblem` gets an error of either. */
export const openSession = async (onProblem?: (problem: LinkgateProblem) => void): Promise<void> => {
  const attempt = (work: Promise<boolean>): Promise<boolean> =>
    work.catch((error: unknown) => {
      if (!(error instanceof LinkgateProblem)) throw error
      onProblem?.(error)
      return false
    })
  const returned = takeReturn()
  if (returned !== null) {
    history.replaceState(null, '', returned.here)
    if (await attempt(signIn(returned.credentials).then(() => true))) return
  }
  if (await attempt(renew())) return
  // an ended one stays: what was typed waits for its user
  if (session.value.is === 'opening') session.value = { is: 'signed out' }
}

/** Throws LinkgateProblem. If it is not the page's user, the page is reloaded without what was typed. */
export const signIn = async (
  credentials:
    { readonly email: string; readonly password: string } | { readonly code: string; readonly code_verifier: string },
): Promise<void> => {
  const response = await inTurn(() => send('POST', '/auth/session', credentials))
  if (!response.ok) throw await problemOf(response)
  const answer = await accessIn(response)
  tabs.postMessage('signed in')
  await take(answer)
}

/** Signs out, here and in every tab. Throws LinkgateProblem if the service could not be reached. */
export const signOut = async (): Promise<void> => {
  const response = await inTurn(() => send('DELETE', '/auth/session'))
  if (!response.ok) throw await problemOf(response)
  access = null
  waiting = []
  session.value = { is: 'signed out' }
  tabs.postMessage('signed out')
}

/** Another tab signed out: what was typed here waits, unseen, for its user. */
const cover = (): void => {
  access = null
  const { value } = session
  if (value.is === 'signed in' || value.is === 'ended')
    session.value = { is: 'ended', at: new Date(), isElsewhere: true }
}

tabs.onmessage = ({ data }: MessageEvent<unknown>) => {
  if (data === 'signed out') cover()
  else if (data === 'signed in' && session.value.is !== 'signed in') void openSession()
}
