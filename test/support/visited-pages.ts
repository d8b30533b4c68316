import { Refusal, type RefusalCode } from '../../src/domain/refusal.js'
import { textAt } from './json.js'
import { startTestService, type RequestOptions, type TestResponse, type TestService } from './service.js'

/** What programs may be told, and no page. */
export const FOR_PROGRAMS = 'for-programs-alone'

/** As Chromium asks for a page. */
export const BROWSER =
  'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,image/apng,*/*;q=0.8'

/** A service with a link, `launch`, on which a visitor can be shown every kind of refusal. */
export interface VisitedService extends TestService {
  readonly target: string
  /** asks as a browser does */
  visit(path: string, language?: string, options?: RequestOptions, method?: string): Promise<TestResponse>
  /** Whoever follows or looks at a link is refused like this from now on; null: no more. */
  refuse(code: RefusalCode | null, headers?: Readonly<Record<string, string>>): void
  /** makes a link */
  add(link: Readonly<Record<string, unknown>>): Promise<void>
  /** the path of a new invitation */
  invite(email?: string): Promise<string>
}

let invited = 0

export const startVisitedService = async (environment: Readonly<Record<string, string>> = {}) => {
  let refusal: { readonly code: RefusalCode; readonly headers: Readonly<Record<string, string>> } | null = null
  const service = await startTestService({
    environment,
    composeLayers: (layers) => ({
      ...layers,
      object: (snapshot, caller, action, record) => {
        if (action === 'link:read' && refusal !== null)
          throw new Refusal(refusal.code, {
            headers: refusal.headers,
            detail: FOR_PROGRAMS,
            errors: [{ field: 'x', message: FOR_PROGRAMS }],
            extensions: { x: FOR_PROGRAMS },
          })
        return layers.object(snapshot, caller, action, record)
      },
    }),
  })
  const admin = await service.addUser('admin')
  const target = 'https://www.example.com:8443/autumn/launch?ref=%22%3E&a=b#top'
  const add = async (json: Readonly<Record<string, unknown>>) => {
    const made = await service.request('POST', '/links', { token: admin.token, json })
    if (made.status !== 201) throw new Error(made.text)
  }
  await add({ code: 'launch', target })
  const visited: VisitedService = {
    ...service,
    target,
    visit: (path, language = 'en', { headers, ...options } = {}, method = 'GET') =>
      service.request(method, path, {
        ...options,
        headers: { Accept: BROWSER, 'Accept-Language': language, ...headers },
      }),
    add,
    refuse: (code, headers = {}) => {
      refusal = code === null ? null : { code, headers }
    },
    invite: async (email = `guest-${(invited += 1)}@example.com`) => {
      const { json } = await service.request('POST', '/users/invitations', {
        token: admin.token,
        json: { email, role: 'editor' },
      })
      return new URL(textAt(json, 'url')).pathname
    },
  }
  return visited
}
