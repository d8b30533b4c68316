import { readFileSync } from 'node:fs'

import { z } from 'zod'

import { PACKAGE_ROOT } from '../config.js'
import { Bundle, BUNDLE_FILE } from '../console-bundle/bundle-file.js'
import { once } from '../domain/once.js'
import { Refusal } from '../domain/refusal.js'
import { FixedDocument } from '../http/fixed-document.js'
import { route } from '../layers/compose.js'
import type { Answer, Route } from '../layers/route.js'
import { html } from '../pages/pages.js'
import { PUBLIC_GET } from './shared-layers.js'

/** Only files of this service are scripts and styles, and no text can become a script (CONTRACT, the console). */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "require-trusted-types-for 'script'",
].join('; ')

const typeOf = (name: string): string => (name.endsWith('.css') ? 'text/css' : 'text/javascript')

/**
 * How people sign in: with a password, or at the URL of an issuer; `not set up` if the issuer's client id is not set.
 */
type ConsoleSignIn = 'password' | 'not set up' | (() => Promise<string>)

/** The sign-in method, as the document contains it. */
const methodOf = async (signIn: ConsoleSignIn): Promise<string> => {
  if (typeof signIn === 'string') return signIn
  return signIn().catch(() => 'issuer away')
}

const readFiles = (trashDays: number) => {
  const built = Bundle.parse(JSON.parse(readFileSync(new URL(BUNDLE_FILE, PACKAGE_ROOT), 'utf8')))
  const files = new Map(
    Object.entries(built.files).map(([name, text]): readonly [string, Answer] => [
      name,
      {
        status: 200,
        body: new FixedDocument(text),
        type: `${typeOf(name)}; charset=utf-8`,
        // changed content gets a new name
        headers: { 'Cache-Control': 'public, max-age=31536000, immutable' },
      },
    ]),
  )
  let last: { readonly signIn: string; readonly page: Answer } | undefined
  return {
    pageFor: (signIn: string): Answer => {
      if (last?.signIn !== signIn) {
        const meta = html`<meta name="sign-in" content="${signIn}" /> <meta name="trash-days" content="${trashDays}" />`
        const body = new FixedDocument(built.document.replace('<title>', () => `${meta.text}\n    <title>`))
        const headers = { 'Content-Security-Policy': POLICY, 'Cache-Control': 'no-cache' }
        last = { signIn, page: { status: 200, body, type: 'text/html; charset=utf-8', headers } }
      }
      return last.page
    },
    find: (name: string) => files.get(name),
  }
}

const PathPart = z.string().max(200).describe('read by the page itself')

/**
 * The console: one document for all of its URLs, and its files. It has no rights and no data of its own: it uses the
 * same routes as every other client. Files are read at the first request.
 */
export const consoleRoutes = ({
  signIn,
  trashDays,
}: {
  readonly signIn: ConsoleSignIn
  /** how long deleted links can be restored; 0: not at all */
  readonly trashDays: number
}): readonly Route[] => {
  const files = once(() => readFiles(trashDays))
  const page = {
    ...PUBLIC_GET,
    handle: async () => files().pageFor(await methodOf(signIn)),
  }
  const shown = { tag: 'pages', tagged: 'read', types: ['text/html'] } as const
  return [
    route({
      ...page,
      path: '/console',
      documentation: { ...shown, id: 'getConsole', summary: 'The console' },
    }),
    route({
      ...PUBLIC_GET,
      gateway: { scope: 'public', quota: 'file' },
      path: '/console/assets/:file',
      params: z.object({ file: z.string().max(100).describe('the name used by the document') }),
      handle: ({ params }) => {
        const file = files().find(params.file)
        if (file === undefined) throw new Refusal('no_route')
        return file
      },
      documentation: {
        ...shown,
        id: 'getConsoleFile',
        refusals: ['no_route'],
        summary: 'A script or a style of the console',
        types: ['text/javascript', 'text/css'],
      },
    }),
    route({
      ...page,
      path: '/console/:page',
      params: z.object({ page: PathPart }),
      documentation: { ...shown, id: 'getConsolePage', summary: 'A page of the console' },
    }),
    route({
      ...page,
      path: '/console/:page/:name',
      params: z.object({ page: PathPart, name: PathPart }),
      documentation: {
        ...shown,
        id: 'getConsoleItem',
        summary: 'A page of the console about one record',
      },
    }),
  ]
}
