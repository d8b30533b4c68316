import type {
  CallOptions,
  ChangeOptions,
  Client,
  ClientOptions,
  CreationOptions,
  Fault,
  Operations,
  Page,
  Pages,
  ProblemCode,
  Tokens,
} from './types.js'

export type * from './types.js'

/** The request of one operation. Its name, method and path are those of the service's route table. */
interface Operation {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  readonly path: string
  /** the argument after the path's parameter */
  readonly takes?: 'query' | 'body'
  /** the kind of response, if it is not plain JSON */
  readonly gives?: 'pages' | 'export' | 'lines' | 'text' | 'image' | 'events'
  /** why it may be retried when its outcome is unknown; a GET always may */
  readonly repeat?: 'changes nothing' | 'under its key'
  /** true if a part may be done before a refusal */
  readonly inParts?: true
  /** true if no token is sent, because an invalid one would be refused */
  readonly anonymous?: true
}

const OPERATIONS = {
  createLink: { method: 'POST', path: '/links', takes: 'body', repeat: 'under its key' },
  listLinks: { method: 'GET', path: '/links', takes: 'query', gives: 'pages' },
  exportLinks: { method: 'GET', path: '/links/export', takes: 'query', gives: 'export' },
  getLink: { method: 'GET', path: '/links/:code' },
  getLinkQr: { method: 'GET', path: '/links/:code/qr', takes: 'query', gives: 'image' },
  updateLink: { method: 'PATCH', path: '/links/:code', takes: 'body' },
  deleteLink: { method: 'DELETE', path: '/links/:code' },
  restoreLink: { method: 'POST', path: '/links/:id/restore', takes: 'body' },
  transferLink: { method: 'POST', path: '/links/:code/transfer', takes: 'body' },
  transferLinksOfUser: { method: 'POST', path: '/users/:id/links/transfer', takes: 'body', inParts: true },
  changeManyLinks: { method: 'POST', path: '/links/bulk', takes: 'body', inParts: true },
  getLinkRights: { method: 'GET', path: '/links/:code/rights' },
  listTags: { method: 'GET', path: '/tags' },

  getLinkVisits: { method: 'GET', path: '/links/:code/visits', takes: 'query' },
  getVisits: { method: 'GET', path: '/visits', takes: 'query' },
  exportLinkVisits: { method: 'GET', path: '/links/:code/visits/export', takes: 'query', gives: 'export' },
  watchLinkVisits: { method: 'GET', path: '/links/:code/visits/live', takes: 'query', gives: 'events' },

  getProfile: { method: 'GET', path: '/users/me' },
  updateProfile: { method: 'PATCH', path: '/users/me', takes: 'body' },
  getOwnRights: { method: 'POST', path: '/users/me/rights', takes: 'body', repeat: 'changes nothing' },
  listPersonalTokens: { method: 'GET', path: '/users/me/tokens' },
  createPersonalToken: { method: 'POST', path: '/users/me/tokens', takes: 'body', repeat: 'under its key' },
  revokePersonalToken: { method: 'DELETE', path: '/users/me/tokens/:id', takes: 'query' },
  listSignIns: { method: 'GET', path: '/users/me/sign-ins' },
  endSignIn: { method: 'DELETE', path: '/users/me/sign-ins/:id' },

  listUsers: { method: 'GET', path: '/users', takes: 'query', gives: 'pages' },
  getUser: { method: 'GET', path: '/users/:id' },
  updateUser: { method: 'PATCH', path: '/users/:id', takes: 'body' },
  deleteUser: { method: 'DELETE', path: '/users/:id', takes: 'query' },
  inviteUser: { method: 'POST', path: '/users/invitations', takes: 'body', repeat: 'under its key' },
  listInvitations: { method: 'GET', path: '/users/invitations', takes: 'query', gives: 'pages' },
  withdrawInvitation: { method: 'DELETE', path: '/users/invitations/:id' },
  showInvitation: { method: 'GET', path: '/invitations/:token/accept', anonymous: true },
  acceptInvitation: { method: 'POST', path: '/invitations/:token/accept', takes: 'body', anonymous: true },

  requestToken: { method: 'POST', path: '/auth/token', takes: 'body', anonymous: true },
  revokeToken: { method: 'POST', path: '/auth/revoke', takes: 'body', anonymous: true },
  requestPasswordReset: { method: 'POST', path: '/auth/password/forgot', takes: 'body', anonymous: true },
  showPasswordReset: { method: 'GET', path: '/auth/password/reset', takes: 'query', anonymous: true },
  resetPassword: { method: 'POST', path: '/auth/password/reset', takes: 'body', anonymous: true },
  showEmailConfirmation: { method: 'GET', path: '/auth/email/confirm', takes: 'query', anonymous: true },
  confirmEmail: { method: 'POST', path: '/auth/email/confirm', takes: 'body', anonymous: true },

  evaluateAccess: { method: 'POST', path: '/access/v1/evaluation', takes: 'body', repeat: 'changes nothing' },
  evaluateManyAccesses: { method: 'POST', path: '/access/v1/evaluations', takes: 'body', repeat: 'changes nothing' },
  getAuthzenConfiguration: { method: 'GET', path: '/.well-known/authzen-configuration', anonymous: true },

  listDecisions: { method: 'GET', path: '/audit/decisions', takes: 'query', gives: 'pages' },
  getTimeline: { method: 'GET', path: '/audit/timeline', takes: 'query', gives: 'pages' },
  explainRequest: { method: 'GET', path: '/audit/requests/:request_id' },
  getProof: { method: 'GET', path: '/audit/proof' },
  verifyLog: { method: 'GET', path: '/audit/verification', gives: 'events' },
  exportEvidence: { method: 'GET', path: '/audit/evidence', takes: 'query', gives: 'lines' },

  getPolicy: { method: 'GET', path: '/policy', takes: 'query' },
  watchPolicy: { method: 'GET', path: '/policy/live', takes: 'query', gives: 'events' },
  getPolicyModel: { method: 'GET', path: '/policy/model', gives: 'text' },
  getPolicyTable: { method: 'GET', path: '/policy/decisions', takes: 'query' },
  comparePolicyRevisions: { method: 'GET', path: '/policy/comparison', takes: 'query' },
  explainDecision: { method: 'GET', path: '/policy/explanation', takes: 'query' },
  previewPolicyChange: { method: 'POST', path: '/policy/previews', takes: 'body', repeat: 'changes nothing' },
  changePolicy: { method: 'POST', path: '/policy/changes', takes: 'body' },
  listPolicyRevisions: { method: 'GET', path: '/policy/revisions', takes: 'query', gives: 'pages' },
  getPolicyRevision: { method: 'GET', path: '/policy/revisions/:revision' },
  listPolicyProposals: { method: 'GET', path: '/policy/proposals', takes: 'query', gives: 'pages' },
  getPolicyProposal: { method: 'GET', path: '/policy/proposals/:id' },
  approvePolicyProposal: { method: 'POST', path: '/policy/proposals/:id/approve', takes: 'body' },
  declinePolicyProposal: { method: 'POST', path: '/policy/proposals/:id/decline', takes: 'body' },
  withdrawPolicyProposal: { method: 'DELETE', path: '/policy/proposals/:id' },
  restorePolicyRevision: { method: 'POST', path: '/policy/revisions/:revision/restore', takes: 'body' },
} as const satisfies Readonly<Record<keyof Operations, Operation>>

/** Media types of responses. */
const MEDIA = {
  json: 'application/json',
  csv: 'text/csv',
  ndjson: 'application/x-ndjson',
  lines: 'application/x-ndjson',
  text: 'text/plain',
  image: 'image/',
  events: 'text/event-stream',
} as const
type Form = keyof typeof MEDIA

type Input = Readonly<Record<string, unknown>>
type AnyOptions = CallOptions & CreationOptions & ChangeOptions & { readonly query?: Input | undefined }

/** How many seconds before its expiry an access token is renewed. */
const EARLY_S = 30
/** Timeout of a renewal in seconds. Shorter than EARLY_S, so that calls can go on with the token at hand. */
const RENEWAL_S = 15
/** Seconds before the first retry if the service names none; doubled each time. */
const FIRST_WAIT_S = 0.2
/** Refusals (503) that are sent before anything is done. Others may follow a commit whose response was lost or late. */
const NOTHING_DONE: ReadonlySet<string> = new Set(['policy_unavailable', 'issuer_unavailable'])
/** Statuses of a service that is away, or of a proxy in front of it. */
const AWAY: ReadonlySet<number> = new Set([502, 503, 504])

interface ProblemDetails {
  readonly status: number
  readonly code: ProblemCode
  readonly title: string
  readonly detail?: string | undefined
  readonly rule?: string | undefined
  readonly errors?: readonly Fault[] | undefined
  readonly request_id?: string | undefined
  readonly [extension: string]: unknown
}

/**
 * The error of a call: a refusal by the service (RFC 9457), `network_error` (no response, or a truncated one), or
 * `unexpected_answer` (a response that is not the service's, such as a proxy's page).
 */
export class LinkgateProblem extends Error {
  /** status of the response; 0 if there was none */
  readonly status: number
  /** stable; for programs */
  readonly code: ProblemCode
  /** meaning of the code, for people */
  readonly title: string
  /** details of this case, for people */
  readonly detail: string | undefined
  /** the rule that denied it, such as R5, if the policy did */
  readonly rule: string | undefined
  /** each field that is not valid, and why */
  readonly errors: readonly Fault[]
  /** id of the request in the service's log */
  readonly requestId: string | undefined
  /** seconds after which the request may be retried */
  readonly retryAfter: number | undefined
  /** the whole document, including members of only this kind of problem, such as `violations` of an edit */
  readonly document: Readonly<Record<string, unknown>>

  constructor(document: ProblemDetails, { retryAfter, cause }: { retryAfter?: number | undefined; cause?: unknown }) {
    const { status, code, title, detail, rule, errors = [], request_id } = document
    const faults = errors.map(({ field, message }) => `${field} ${message}`.trim()).join('; ')
    // the detail contains only the first of many faults
    super(`${code}: ${[title, faults || detail].filter(Boolean).join('. ')}`, { cause })
    this.name = 'LinkgateProblem'
    this.status = status
    this.code = code
    this.title = title
    this.detail = detail
    this.rule = rule
    this.errors = errors
    this.requestId = request_id
    this.retryAfter = retryAfter
    this.document = document
  }
}

/** In whole seconds, or as a date (RFC 9110 §10.2.3). */
const secondsIn = (retryAfter: string | null): number | undefined => {
  if (retryAfter === null) return undefined
  const seconds = /^\d+$/.test(retryAfter) ? Number(retryAfter) : (Date.parse(retryAfter) - Date.now()) / 1_000
  return Number.isNaN(seconds) ? undefined : Math.max(0, seconds)
}

const problemIn = async (response: Response): Promise<LinkgateProblem> => {
  const text = await response.text()
  try {
    const document: ProblemDetails | null = JSON.parse(text)
    if (typeof document?.code === 'string' && typeof document.title === 'string')
      return new LinkgateProblem(
        { ...document, status: response.status },
        { retryAfter: secondsIn(response.headers.get('Retry-After')) },
      )
  } catch {
    // not a problem document
  }
  return unexpected(response)
}

const unexpected = ({ status, headers }: Response, cause?: unknown): LinkgateProblem => {
  const location = headers.get('Location')
  return new LinkgateProblem(
    {
      status,
      code: 'unexpected_answer',
      title: 'The answer is not one of Linkgate',
      detail: `${status}, ${headers.get('Content-Type') ?? 'of no type'}${location === null ? '' : `, to ${location}`}`,
      request_id: headers.get('X-Request-ID') ?? undefined,
    },
    { retryAfter: secondsIn(headers.get('Retry-After')), cause },
  )
}

/** `response`: the response with the truncated body. */
const unreached = (cause: unknown, response?: Response): LinkgateProblem =>
  new LinkgateProblem(
    {
      status: response?.status ?? 0,
      code: 'network_error',
      title: response === undefined ? 'No answer came' : 'The answer broke off',
      detail: reasonsOf(cause).join(': ') || undefined,
      request_id: response?.headers.get('X-Request-ID') ?? undefined,
    },
    { cause },
  )

/** The messages of an error and of its causes, because only the cause of a failed `fetch` says why. */
const reasonsOf = (error: unknown): readonly string[] =>
  error instanceof Error ? [error.message, ...reasonsOf(error.cause)].filter(Boolean) : []

/** Parses JSON of a whole response, or of one line of it. */
const parseJson = (text: string, response: Response) => {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw unexpected(response, error)
  }
}

/** The promise's result, or the signal's reason if that comes first. */
const orAbort = <T>(awaited: Promise<T>, signal: AbortSignal | undefined): Promise<T> =>
  signal === undefined
    ? awaited
    : new Promise<T>((resolve, reject) => {
        const abort = () => reject(signal.reason)
        if (signal.aborted) abort()
        signal.addEventListener('abort', abort)
        void awaited.then(resolve, reject).then(() => signal.removeEventListener('abort', abort))
      })

const pause = async (seconds: number, signal: AbortSignal | undefined): Promise<void> => {
  let timer: ReturnType<typeof setTimeout> | undefined
  const over = new Promise<void>((resolve) => (timer = setTimeout(resolve, seconds * 1_000)))
  await orAbort(over, signal).finally(() => clearTimeout(timer))
}

/** Streams the text of a body. Throws if it is truncated. */
async function* textOf(response: Response, signal: AbortSignal | undefined): AsyncGenerator<string, void> {
  const reader = response.body?.getReader()
  const decoder = new TextDecoder('utf-8', { fatal: true })
  try {
    for (let done = reader === undefined; !done;) {
      const part = await reader?.read()
      done = part?.done !== false
      yield decoder.decode(part?.value, { stream: !done })
    }
  } catch (error) {
    signal?.throwIfAborted()
    throw unreached(error, response)
  } finally {
    await reader?.cancel().catch(() => undefined)
  }
}

/**
 * Streams the text of an export. Every line must end with a newline, because a proxy may make a truncated body look
 * complete.
 */
async function* wholeLines(response: Response, signal: AbortSignal | undefined): AsyncGenerator<string, void> {
  let last = '\n'
  for await (const text of textOf(response, signal)) {
    last = text.at(-1) ?? last
    if (text !== '') yield text
  }
  if (last !== '\n') throw unreached(undefined, response)
}

async function* linesOf(response: Response, signal: AbortSignal | undefined): AsyncGenerator<string, void> {
  let rest = ''
  for await (const text of wholeLines(response, signal)) {
    const lines = (rest + text).split('\n')
    rest = lines.pop() ?? ''
    yield* lines
  }
}

async function* objectsOf(response: Response, signal: AbortSignal | undefined) {
  for await (const line of linesOf(response, signal)) yield parseJson(line, response)
}

/** Streams the data of server-sent events (HTML Living Standard §9.2). Ends with the signal. */
async function* eventsOf(response: Response, signal: AbortSignal | undefined) {
  let data = ''
  for await (const line of linesOf(response, signal)) {
    if (line.startsWith('data:')) data += line.slice('data:'.length)
    if (line !== '' || data === '') continue
    yield parseJson(data, response)
    data = ''
  }
}

/** A unique key, even on pages without https, where `crypto.randomUUID` is missing. */
const newKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16)).join('-')

/**
 * Encodes a path parameter. `.` and `..` would lead to another URL, and an empty one to a list; half of a surrogate
 * pair cannot be encoded.
 */
const segment = (value: string | number): string => {
  const text = String(value)
  if (/^\.{0,2}$|\p{Cs}/u.test(text)) throw new TypeError(`${JSON.stringify(text)} names nothing`)
  return encodeURIComponent(text)
}

const queryOf = (query: Input = {}): string => {
  const pairs = new URLSearchParams()
  for (const [name, value] of Object.entries(query))
    for (const each of [value].flat()) if (each !== undefined && each !== null) pairs.append(name, String(each))
  return pairs.size === 0 ? '' : `?${pairs}`
}

const formOf = ({ takes, gives }: Operation, input: Input | undefined): Form => {
  const asked = takes === 'query' ? input?.['format'] : undefined
  if (asked === 'csv' || asked === 'ndjson') return asked
  if (gives === 'export') return 'csv'
  return gives === undefined || gives === 'pages' ? 'json' : gives
}

const TOKEN = /^[\x21-\x7e]+$/

/** A token, and the token to send instead if it is refused (401); null: none. */
interface Access {
  readonly token: string
  readonly another: () => Promise<Access | null>
}

const nothingElse = async (): Promise<null> => null

/** The access of a client that was made with `token`. */
const accessGiven = async (token: ClientOptions['token'], signal: AbortSignal | undefined): Promise<Access | null> => {
  if (typeof token !== 'function') return token === undefined ? null : { token, another: nothingElse }
  const ask = () => orAbort(Promise.resolve(token()), signal)
  const given = await ask()
  const another = async () => {
    const other = await ask()
    return other === given ? null : { token: other, another: nothingElse }
  }
  return { token: given, another }
}

interface SignedIn {
  tokens: Tokens
  /** the renewal that all calls share */
  renewal: Promise<void> | undefined
}

const isEnding = ({ expires_at: end }: Tokens): boolean => end - Date.now() < EARLY_S * 1_000

const tokensOf = ({ access_token, refresh_token, expires_in }: Awaited<ReturnType<Operations['requestToken']>>) => ({
  access_token,
  refresh_token,
  expires_at: Date.now() + expires_in * 1_000,
})

/** The sign-in of a client, whose tokens are renewed before they expire. */
const createSession = (
  { tokens, onTokens }: Pick<ClientOptions, 'tokens' | 'onTokens'>,
  { requestToken, revokeToken }: Pick<Operations, 'requestToken' | 'revokeToken'>,
) => {
  let current: SignedIn | null = tokens === undefined ? null : { tokens, renewal: undefined }

  const keep = (held: SignedIn | null): void => {
    current = held
    onTokens?.(held && held.tokens)
  }

  /** Spends the single-use refresh token on behalf of all waiting calls, so none of their signals ends it. */
  const renew = async (held: SignedIn): Promise<void> => {
    const signal = AbortSignal.timeout(RENEWAL_S * 1_000)
    try {
      const grant = { grant_type: 'refresh_token', refresh_token: held.tokens.refresh_token }
      held.tokens = tokensOf(await requestToken(grant, { signal }))
      if (current === held) keep(held)
    } catch (error) {
      if (current === held && error instanceof LinkgateProblem && error.code === 'invalid_grant') keep(null)
      // to the calls, a service that does not answer in time is one that does not answer
      throw error === signal.reason ? unreached(error) : error
    } finally {
      held.renewal = undefined
    }
  }

  const accessOf = async (held: SignedIn, signal: AbortSignal | undefined): Promise<Access> => {
    const renewed = () => orAbort((held.renewal ??= renew(held)), signal)
    if (held.renewal !== undefined || isEnding(held.tokens)) {
      await renewed().catch((error: unknown) => {
        // the service does not answer or is busy: the token at hand is valid for a while yet
        const isRefused = !(error instanceof LinkgateProblem) || error.code === 'invalid_grant'
        if (isRefused || held.tokens.expires_at <= Date.now()) throw error
      })
    }
    const { access_token: used } = held.tokens
    const another = async () => {
      // signed out meanwhile, or another user is signed in, who did not make this call
      if (current !== held) return null
      if (held.tokens.access_token === used) await renewed()
      return { token: held.tokens.access_token, another: nothingElse }
    }
    return { token: used, another }
  }

  const signIn: Client['signIn'] = async ({ email, password, scope }, { signal } = {}) => {
    const grant = { grant_type: 'password', username: email, password, scope }
    const held = { tokens: tokensOf(await requestToken(grant, { signal })), renewal: undefined }
    keep(held)
    return held.tokens
  }

  const signOut: Client['signOut'] = async ({ signal } = {}) => {
    const held = current
    if (held === null) return
    if (held.renewal !== undefined)
      await orAbort(
        held.renewal.catch(() => undefined),
        signal,
      )
    await revokeToken({ token: held.tokens.refresh_token }, { signal })
    if (current === held) keep(null)
  }

  return {
    /** null if nobody is signed in */
    access: (signal: AbortSignal | undefined) => (current === null ? null : accessOf(current, signal)),
    signIn,
    signOut,
  }
}

/** One call of an operation: what its method was given, and the response that it takes. */
interface Call {
  readonly operation: Operation
  /** the path's parameter */
  readonly name: string | number | undefined
  readonly input: Input | undefined
  readonly options: AnyOptions
  readonly form: Form
}

interface SenderOptions {
  readonly base: string
  readonly retries: number
  readonly maxRetryAfter: number
  readonly fetch: NonNullable<ClientOptions['fetch']>
  readonly access: (signal: AbortSignal | undefined) => Promise<Access | null>
  readonly etagOf: (answer: object) => string | undefined
}

/** Sends calls, with their token and their retries. */
const createSender = ({ base, access, etagOf, retries, maxRetryAfter, fetch }: SenderOptions) => {
  const headersFor = ({ operation: { repeat }, options, form }: Call, body: string | null): Headers => {
    const { ifMatch, policyAtLeast, requestId, idempotencyKey } = options
    const tag = typeof ifMatch === 'object' ? etagOf(ifMatch) : ifMatch
    if (ifMatch !== undefined && !tag) throw new TypeError('ifMatch takes an ETag, or an answer that has one')
    return new Headers({
      Accept: `${MEDIA[form].replace(/\/$/, '/*')}, application/problem+json`,
      ...(body !== null && { 'Content-Type': 'application/json' }),
      ...(repeat === 'under its key' && { 'Idempotency-Key': idempotencyKey ?? newKey() }),
      // a compressing proxy makes an ETag weak, and a weak one never matches (RFC 9110 §13.1.1)
      ...(tag && { 'If-Match': tag.replace(/^W\//, '') }),
      ...(policyAtLeast !== undefined && { 'Policy-At-Least': String(policyAtLeast) }),
      ...(requestId !== undefined && { 'X-Request-ID': requestId }),
    })
  }

  /** Seconds to wait before a retry; undefined if the call must not be retried. */
  const waitAfter = (problem: LinkgateProblem, tries: number, { method, repeat, inParts }: Operation) => {
    const { status, code, retryAfter = FIRST_WAIT_S * 2 ** tries } = problem
    const isRepeatable =
      method === 'GET' || repeat !== undefined
        ? code === 'network_error' || code === 'request_in_progress' || AWAY.has(status)
        : NOTHING_DONE.has(code) && !inParts
    return tries < retries && (status === 429 || isRepeatable) && retryAfter <= maxRetryAfter ? retryAfter : undefined
  }

  /** Reads a successful response with `read`. Throws the problem of any other. */
  return async <T>(call: Call, read: (response: Response) => Promise<T> | T): Promise<T> => {
    const { operation, name, input, options, form } = call
    const { method, path, takes } = operation
    const { signal, query } = options
    signal?.throwIfAborted()
    const place = path.replace(/:\w+/, () => segment(name ?? ''))
    const url = base + place + queryOf(takes === 'query' ? input : query)
    const body = takes === 'body' && input !== undefined ? JSON.stringify(input) : null
    const headers = headersFor(call, body)

    const sendOnce = async (): Promise<T> => {
      let response: Response | undefined
      try {
        response = await fetch(url, {
          method,
          headers,
          body,
          // a redirected POST would become a GET
          redirect: 'manual',
          credentials: 'omit',
          signal: signal ?? null,
        })
        if (!response.ok) throw await problemIn(response)
        const type = response.headers.get('Content-Type') ?? ''
        if (response.status !== 204 && !type.startsWith(MEDIA[form])) {
          await response.body?.cancel()
          throw unexpected(response)
        }
        return await read(response)
      } catch (error) {
        if (error instanceof LinkgateProblem) throw error
        signal?.throwIfAborted()
        throw unreached(error, response)
      }
    }

    let used = operation.anonymous ? null : await access(signal)
    let tries = 0
    for (;;) {
      if (used !== null) {
        // the error of Headers would contain the token
        if (!TOKEN.test(used.token)) throw new TypeError('the token has characters that no token has, or none')
        headers.set('Authorization', `Bearer ${used.token}`)
      }
      let problem: LinkgateProblem
      try {
        return await sendOnce()
      } catch (error) {
        if (!(error instanceof LinkgateProblem)) throw error
        problem = error
      }
      const another: Access | null = problem.code === 'invalid_token' && used !== null ? await used.another() : null
      if (another !== null) {
        used = another
        continue
      }
      const wait = waitAfter(problem, tries, operation)
      if (wait === undefined) throw problem
      await pause(wait, signal)
      tries += 1
    }
  }
}

const pagesOf = <Item>(ask: (cursor: string | undefined) => Promise<Page<Item>>): Pages<Item> => ({
  page: () => ask(undefined),
  async *[Symbol.asyncIterator]() {
    let cursor: string | undefined
    do {
      const page: Page<Item> = await ask(cursor)
      yield* page.data
      cursor = page.next_cursor ?? undefined
    } while (cursor !== undefined)
  },
})

/**
 * A client of one service, for one caller. It sends nothing before a method is called. Every method rejects with a
 * LinkgateProblem, with the signal's reason, or, for invalid arguments, with a TypeError.
 */
export const createClient = ({
  baseUrl,
  token,
  tokens,
  onTokens,
  retries = 2,
  maxRetryAfter = 10,
  fetch = globalThis.fetch,
}: ClientOptions): Client => {
  if (!/^(?:|\/[^?#]*|https?:\/\/[^/?#][^?#]*)$/i.test(baseUrl))
    throw new TypeError(`baseUrl "${baseUrl}" is no http(s) URL`)
  /** the headers of the responses that these objects came from */
  const headersOf = new WeakMap<object, Headers>()

  const send = createSender({
    base: baseUrl.replace(/\/+$/, ''),
    access: async (signal) => (await session.access(signal)) ?? accessGiven(token, signal),
    // links carry theirs, also in a list
    etagOf: (answer) =>
      headersOf.get(answer)?.get('ETag') ??
      ('etag' in answer && typeof answer.etag === 'string' ? answer.etag : undefined),
    retries,
    maxRetryAfter,
    fetch,
  })

  const readJson = async (response: Response) => {
    if (response.status === 204) return undefined
    const answer = parseJson(await response.text(), response)
    if (typeof answer === 'object' && answer !== null) headersOf.set(answer, response.headers)
    return answer
  }

  const call = (
    operation: Operation,
    name: string | number | undefined,
    input: Input | undefined,
    options: AnyOptions = {},
  ) => {
    const { gives } = operation
    const { signal } = options
    const form = formOf(operation, input)
    const ask = <T>(read: (response: Response) => Promise<T> | T, given = input) =>
      send({ operation, name, input: given, options, form }, read)

    async function* stream<T>(read: (response: Response, signal: AbortSignal | undefined) => AsyncIterable<T>) {
      try {
        yield* read(await ask((response) => response), signal)
      } catch (error) {
        // aborting ends a stream of events normally, but an aborted export is incomplete
        if (form !== 'events' || !signal?.aborted) throw error
      }
    }
    if (form === 'events') return stream(eventsOf)
    if (form === 'ndjson') return stream(objectsOf)
    if (form === 'lines' || (form === 'csv' && gives !== undefined)) return stream(wholeLines)
    if (gives === 'pages')
      return pagesOf((cursor) => ask(readJson, cursor === undefined ? input : { ...input, cursor }))
    if (form === 'image') return ask((response) => response.blob())
    return ask(form === 'json' ? readJson : (response) => response.text())
  }

  const methodOf = (operation: Operation) => {
    const { path, takes } = operation
    const isNamed = path.includes(':')
    if (isNamed && takes !== undefined)
      return (name: string | number, input?: Input, options?: AnyOptions) => call(operation, name, input, options)
    if (isNamed) return (name: string | number, options?: AnyOptions) => call(operation, name, undefined, options)
    if (takes !== undefined) return (input?: Input, options?: AnyOptions) => call(operation, undefined, input, options)
    return (options?: AnyOptions) => call(operation, undefined, undefined, options)
  }

  const methods: readonly (readonly unknown[])[] = Object.entries(OPERATIONS).map(([name, operation]) => [
    name,
    methodOf(operation),
  ])
  // the table has exactly their names; test/client/table.test.ts compares it with the routes, whose schemas type them
  const operations: Operations = Object.fromEntries(methods)

  const session = createSession({ tokens, onTokens }, operations)
  const { signIn, signOut } = session
  return { ...operations, headersOf: (answer) => headersOf.get(answer), signIn, signOut }
}
