import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'

import { expect } from 'chai'

import type { Route } from '../../src/layers/route.js'
import { at } from '../support/json.js'
import { addLink, addUserToDelete } from '../support/records.js'
import { requestOf, subjectOf, type RouteRequest } from '../support/samples.js'
import { startTestService, type TestService, type TestUser } from '../support/service.js'
import { makeTemporaryFolder } from '../support/temporary-folder.js'

const run = promisify(execFile)

const GENERATORS = {
  'openapi-typescript': '7.13.0',
  'openapi-fetch': '0.17.0',
  '@hey-api/openapi-ts': '0.95.0',
  orval: '7.13.2',
  typescript: '5.9.3',
} as const

const TSCONFIG = {
  compilerOptions: {
    strict: true,
    noUncheckedIndexedAccess: true,
    target: 'ES2022',
    lib: ['ES2022', 'DOM', 'DOM.Iterable'],
    module: 'ESNext',
    moduleResolution: 'Bundler',
    skipLibCheck: true,
    noEmit: true,
  },
  include: ['types.ts', 'hey', 'orval'],
}

/** A request as generated clients take it. */
interface Parts {
  readonly path: Readonly<Record<string, string>>
  readonly query: Readonly<Record<string, string>>
  readonly body: unknown
  readonly headers: Readonly<Record<string, string>>
}

const partsOf = (route: Route, { path, options }: RouteRequest, token: string | undefined): Parts => {
  const [bare = '', query = ''] = path.split('?')
  const names = [...route.path.matchAll(/:([a-z_]+)/g)].map(([, name = '']) => name)
  const values = new RegExp(`^${route.path.replaceAll('+', '\\+').replace(/:[a-z_]+/g, '([^/]+?)')}$`).exec(bare) ?? []
  return {
    path: Object.fromEntries(names.map((name, i) => [name, values[i + 1] ?? ''])),
    query: Object.fromEntries(new URLSearchParams(query)),
    body: options.body === undefined ? options.json : Object.fromEntries(new URLSearchParams(options.body)),
    headers: {
      ...options.headers,
      ...(token !== undefined && { Authorization: `Bearer ${token}` }),
    },
  }
}

/** Sends a request by a generated client, and answers the status. */
type Call = (route: Route, parts: Parts) => Promise<number>
type Load = (file: string) => Promise<unknown>

const templateOf = ({ path }: Route): string => path.replace(/:([a-z_]+)/g, '{$1}')

/** A function of generated code, of which nothing is known here. */
const functionIn = (module: unknown, name: string): ((...args: readonly unknown[]) => Promise<unknown>) => {
  const found: unknown = Object(module)[name]
  if (typeof found !== 'function') throw new Error(`no function ${name}`)
  return async (...args) => Reflect.apply(found, module, args)
}

/** What the events of a stream have: each of them one of these, by the operation's id. */
const EVENT_FIELDS: Readonly<Record<string, readonly string[]>> = {
  watchLinkVisits: ['total'],
  watchPolicy: ['revision'],
  verifyLog: ['done', 'whole'],
}

const CALLERS: Readonly<Record<string, (load: Load, baseUrl: string) => Promise<Call>>> = {
  'openapi-typescript with openapi-fetch': async (load, baseUrl) => {
    const client = await functionIn(await load('node_modules/openapi-fetch/dist/index.mjs'), 'default')({ baseUrl })
    return async (route, { path, query, body, headers }) => {
      const send = functionIn(client, route.method.toUpperCase())
      const isForm = route.accepts[0] === 'form'
      const answer = await send(templateOf(route), {
        params: { path, query },
        body,
        headers: { ...headers, ...(isForm && { 'Content-Type': 'application/x-www-form-urlencoded' }) },
        parseAs: 'text',
        redirect: 'manual',
      })
      return statusOf(at(answer, 'response'))
    }
  },
  '@hey-api/openapi-ts': async (load, baseUrl) => {
    const sdk = await load('hey/sdk.gen.ts')
    return async (route, parts) => {
      const answer = await functionIn(sdk, route.documentation.id)({ ...parts, baseUrl, redirect: 'manual' })
      const events: unknown = at(answer, 'stream')
      if (events === undefined) return statusOf(at(answer, 'response'))
      const fields = EVENT_FIELDS[route.documentation.id] ?? []
      for await (const event of Object(events)) expect(Object(event)).to.include.any.keys(...fields)
      return 200
    }
  },
  orval: async (load, baseUrl) => {
    const client = await load('orval/client.ts')
    return async (route, { path, query, body, headers }) => {
      // what it generates asks for paths alone
      const { fetch } = globalThis
      let status = 0
      globalThis.fetch = async (url, init) => {
        const response = await fetch(new URL(String(url), baseUrl), init)
        status = response.status
        return response
      }
      try {
        await functionIn(client, route.documentation.id)(
          ...Object.values(path),
          ...(route.body === undefined ? [] : [body]),
          ...(route.query === undefined ? [] : [query]),
          // of two media types it sends JSON, and leaves its name to the caller
          {
            headers: { ...headers, ...(route.accepts.length > 1 && { 'Content-Type': 'application/json' }) },
            redirect: 'manual',
          },
        )
      } catch (error) {
        // it takes every body for JSON
        const isJson = route.documentation.types === undefined || route.documentation.response !== undefined
        if (isJson || !(error instanceof SyntaxError)) throw error
      } finally {
        globalThis.fetch = fetch
      }
      return status
    }
  },
}

/** Of a Response. */
const statusOf = (response: unknown): number => (response instanceof Response ? response.status : 0)

describe('clients that are generated from /openapi.json', function () {
  this.timeout(300_000)
  let service: TestService
  let admin: TestUser
  let folder: string

  before(async function () {
    service = await startTestService()
    admin = await service.addUser('admin')
    folder = await makeTemporaryFolder()
    await writeFile(join(folder, 'package.json'), JSON.stringify({ type: 'module', private: true }))
    const wanted = Object.entries(GENERATORS).map(([name, version]) => `${name}@${version}`)
    await run('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline', ...wanted], {
      cwd: folder,
    }).catch(() => this.skip())
    const { text } = await service.request('GET', '/openapi.json')
    await writeFile(join(folder, 'openapi.json'), text)
    await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(TSCONFIG))
    const generate = (program: string, ...args: readonly string[]) =>
      run(process.execPath, [join(folder, 'node_modules', program), ...args], { cwd: folder })
    await generate('openapi-typescript/bin/cli.js', 'openapi.json', '-o', 'types.ts')
    await generate('@hey-api/openapi-ts/bin/run.js', '-i', 'openapi.json', '-o', 'hey', '-c', '@hey-api/client-fetch')
    await generate(
      'orval/dist/bin/orval.js',
      '--input',
      'openapi.json',
      '--output',
      'orval/client.ts',
      '--client',
      'fetch',
    )
  })
  after(() => service.stop())

  it('compile strictly', async () => {
    const { stdout } = await run(process.execPath, [
      join(folder, 'node_modules/typescript/bin/tsc'),
      '-p',
      folder,
    ]).catch((error: { readonly stdout: string }) => error)
    expect(stdout).to.equal('')
  })

  it('have a method for every operation, under its name', async () => {
    const types = await readFile(join(folder, 'types.ts'), 'utf8')
    for (const { documentation } of service.routes) expect(types).to.include(`operations["${documentation.id}"]`)
  })

  for (const [generator, load] of Object.entries(CALLERS)) {
    it(`call every route and get its answer: ${generator}`, async () => {
      const call = await load((file) => import(pathToFileURL(join(folder, file)).href), service.baseUrl)
      for (const route of service.routes) {
        const request = requestOf(route, await subject(route))
        const token = route.gateway.scope === 'public' ? undefined : admin.token
        expect(await call(route, partsOf(route, request, token)), route.documentation.id).to.equal(request.status)
      }
    })
  }

  const subject = async (route: Route): Promise<string> => {
    const kind = subjectOf(route)
    if (kind === 'link') return addLink(service.db, { owner: admin.id })
    if (kind === 'user' || kind === 'user to delete') return addUserToDelete(service.db)
    if (kind !== 'deleted link') return 'absent'
    const made = await service.request('POST', '/links', {
      token: admin.token,
      json: { target: 'https://example.com' },
    })
    const { id, code } = Object(made.json)
    await service.request('DELETE', `/links/${code}`, { token: admin.token })
    return String(id)
  }
})
