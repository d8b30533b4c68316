import type { Action } from '../../src/domain/action.js'
import type { Route } from '../../src/layers/route.js'
import { consoleScript } from './console-files.js'

export interface Sample {
  readonly json?: unknown
  readonly form?: Readonly<Record<string, string>>
  readonly query?: string
  readonly params?: Readonly<Record<string, string>>
  readonly headers?: Readonly<Record<string, string>>
  readonly answer?: number
}

/**
 * A request of each route that succeeds for who may make it, or gets `answer` where it cannot (what it names does not
 * exist). A route without one fails the tests that try every route: a new route belongs here.
 */
const SAMPLES: Readonly<Record<string, Sample>> = {
  'post /links': { json: { target: 'https://example.com/made' } },
  'get /links': {},
  'get /links/export': {},
  'get /links/:code': {},
  'get /links/:code/qr': {},
  'patch /links/:code': { json: { target: 'https://example.com/changed' } },
  'delete /links/:code': {},
  'post /links/bulk': { json: { operation: 'create', items: [] } },
  'post /links/:id/restore': { json: {} },
  'post /links/:code/transfer': { json: { owner_id: '0' }, answer: 422 },
  'post /users/:id/links/transfer': { json: { owner_id: '0' }, answer: 422 },
  'get /tags': {},
  'get /visits': {},
  'get /links/:code/rights': {},
  'get /links/:code/visits': {},
  'get /links/:code/visits/export': {},
  'get /links/:code/visits/live': { query: '?limit=1' },
  'get /:code': {},
  'get /:code+': {},
  'get /': {},
  'get /favicon.ico': {},
  'get /favicon.svg': {},
  'get /robots.txt': {},
  'post /:code': { form: { password: 'none is asked for' } },
  'get /users/me': {},
  'patch /users/me': { json: { name: 'A new name' } },
  'post /users/me/rights': { json: { codes: ['absent'] } },
  'get /users/me/tokens': {},
  'post /users/me/tokens': { json: { name: 'a token', scopes: [] } },
  'delete /users/me/tokens/:id': { params: { id: '4611686018427387904' }, answer: 404 },
  'get /users/me/sign-ins': {},
  'delete /users/me/sign-ins/:id': { params: { id: '6f1d0d6e-6f3c-4f0e-8a9b-0c6f5d3b2a11' }, answer: 404 },
  'get /users': {},
  'get /users/:id': {},
  'patch /users/:id': { json: {} },
  'delete /users/:id': { query: '?links=delete' },
  'post /users/invitations': { json: { email: 'invited@example.com', role: 'viewer' } },
  'get /users/invitations': {},
  'delete /users/invitations/:id': { params: { id: '4611686018427387904' }, answer: 404 },
  'get /invitations/:token/accept': { params: { token: 'unknown' }, answer: 404 },
  'post /invitations/:token/accept': {
    params: { token: 'unknown' },
    json: { name: 'Somebody', password: 'a long password' },
    answer: 404,
  },
  'post /auth/token': {
    json: { grant_type: 'password', username: 'nobody@example.com', password: 'no password' },
    answer: 400,
  },
  'post /auth/password/forgot': { json: { email: 'nobody@example.com' }, answer: 404 },
  'get /auth/password/reset': { query: '?token=unknown', answer: 410 },
  'post /auth/password/reset': { json: { token: 'unknown', password: 'a long password' }, answer: 410 },
  'get /auth/email/confirm': { query: '?token=unknown', answer: 410 },
  'post /auth/email/confirm': { json: { token: 'unknown' }, answer: 410 },
  'post /auth/revoke': { json: { token: 'unknown' } },
  'post /auth/session': {
    json: { email: 'nobody@example.com', password: 'no password' },
    headers: { 'Sec-Fetch-Site': 'same-origin' },
    answer: 400,
  },
  'post /auth/session/refresh': { headers: { 'Sec-Fetch-Site': 'same-origin' }, answer: 401 },
  'delete /auth/session': { headers: { 'Sec-Fetch-Site': 'same-origin' } },
  'get /policy': {},
  'get /policy/model': {},
  'get /policy/decisions': {},
  'post /policy/changes': {
    query: '?dry_run=true',
    json: { add: [], remove: [], reason: 'a try' },
    headers: { 'If-Match': '"1"' },
  },
  'get /policy/live': { query: '?limit=1' },
  'get /policy/comparison': { query: '?from=1&to=1' },
  'get /policy/explanation': { query: '?role=editor&action=link:delete' },
  'post /policy/previews': { json: { add: [], remove: [] } },
  'get /policy/revisions': {},
  'get /policy/revisions/:revision': { params: { revision: '1' } },
  'post /policy/revisions/:revision/restore': {
    params: { revision: '1' },
    query: '?dry_run=true',
    json: { reason: 'a try' },
  },
  'get /policy/proposals': {},
  'get /policy/proposals/:id': { params: { id: '4611686018427387904' }, answer: 404 },
  'post /policy/proposals/:id/approve': { params: { id: '4611686018427387904' }, json: {}, answer: 404 },
  'post /policy/proposals/:id/decline': {
    params: { id: '4611686018427387904' },
    json: { reason: 'a try' },
    answer: 404,
  },
  'delete /policy/proposals/:id': { params: { id: '4611686018427387904' }, answer: 404 },
  'get /audit/decisions': {},
  'get /audit/timeline': {},
  'get /audit/proof': {},
  'get /audit/verification': {},
  'get /audit/evidence': {},
  'get /audit/requests/:request_id': { params: { request_id: 'unknown' }, answer: 404 },
  'post /access/v1/evaluation': {
    json: {
      subject: { type: 'user', id: 'somebody' },
      action: { name: 'read' },
      resource: { type: 'link', id: 'absent' },
    },
  },
  'post /access/v1/evaluations': {
    json: {
      subject: { type: 'user', id: 'somebody' },
      action: { name: 'read' },
      evaluations: [{ resource: { type: 'link', id: 'absent' } }],
    },
  },
  'get /.well-known/authzen-configuration': {},
  'get /metrics': {},
  'get /healthz': {},
  'get /readyz': {},
  'get /.well-known/jwks.json': {},
  'get /openapi.json': {},
  'get /docs': {},
  'get /docs/:page': { params: { page: 'guides' } },
  'get /console': {},
  'get /console/assets/:file': { params: { file: consoleScript() } },
  'get /console/:page': { params: { page: 'trash' } },
  'get /console/:page/:name': { params: { page: 'links', name: 'spring' } },
}

export interface RouteRequest {
  readonly method: string
  readonly path: string
  /** of a success, or of what stands for it */
  readonly status: number
  readonly options: {
    readonly json?: unknown
    readonly body?: string
    readonly headers?: Readonly<Record<string, string>>
  }
}

/** What a route is about: the record that it names, or the caller's own profile. */
export const subjectOf = ({
  method,
  path,
  objectAction,
}: Pick<Route, 'method' | 'path' | 'objectAction'>):
  'link' | 'deleted link' | 'user' | 'user to delete' | 'profile' | 'nothing' => {
  if (path === '/links/:id/restore') return 'deleted link'
  if (path === '/users/:id' && method === 'delete') return 'user to delete'
  if (path.includes('/:code')) return 'link'
  if (path.startsWith('/users/:id')) return 'user'
  return objectAction.startsWith('profile:') ? 'profile' : 'nothing'
}

/** The scope that the route's sample needs; that of a bulk request is its operation's, and so is the endpoint. */
export const scopeOf = ({ gateway }: Pick<Route, 'gateway'>): Action | 'public' =>
  gateway.scope === 'items' ? 'link:create' : gateway.scope

/** What the oracle is asked about a route and its sample. */
export const operationOf = (route: Route, status: number) => ({
  scope: scopeOf(route),
  endpoint: route.gateway.scope === 'items' ? scopeOf(route) : route.endpoint,
  action: route.objectAction,
  and: route.andAction,
  record: subjectOf(route) !== 'nothing',
  status,
})

/** The options of a request with a form. */
export const formOf = (fields: Readonly<Record<string, string>>, headers: Readonly<Record<string, string>> = {}) => ({
  body: new URLSearchParams(fields).toString(),
  headers: { 'Content-Type': 'application/x-www-form-urlencoded', ...headers },
})

/** A valid request of a route; `record` is the code or the id of the record that it is about, where it is about one. */
export const requestOf = (
  { method, path, status }: Pick<Route, 'method' | 'path' | 'status'>,
  record = 'absent',
): RouteRequest => {
  const sample = SAMPLES[`${method} ${path}`]
  if (!sample) throw new Error(`test/support/samples.ts has no request of ${method} ${path}`)
  const params: Readonly<Record<string, string>> = { code: record, id: record, ...sample.params }
  return {
    method: method.toUpperCase(),
    status: sample.answer ?? status,
    path: path.replace(/:([a-z_]+)/g, (_, name: string) => params[name] ?? 'absent') + (sample.query ?? ''),
    options: {
      ...(sample.json === undefined ? {} : { json: sample.json }),
      ...(sample.headers ? { headers: sample.headers } : {}),
      ...(sample.form ? formOf(sample.form) : {}),
    },
  }
}
