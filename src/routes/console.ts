import { readFileSync } from 'node:fs'

import { z } from 'zod'

import { PACKAGE_ROOT } from '../config.js'
import { Bundle, BUNDLE_FILE } from '../console-bundle/bundle-file.js'
import { Refusal } from '../domain/refusal.js'
import { FixedDocument } from '../http/fixed-document.js'
import { route } from '../layers/compose.js'
import type { Answer, Route } from '../layers/route.js'
import { html } from '../pages/pages.js'
import { publicGet } from './public-get.js'

/** Scripts and styles are files of this service alone, and no text can become a script (CONTRACT, the console). */
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

/** How people sign in: with a password, or where an issuer asks them; `not set up` where its client has no id. */
type ConsoleSignIn = 'password' | 'not set up' | (() => Promise<string>)

/** What the document says of it. */
const wayOf = async (signIn: ConsoleSignIn): Promise<string> => {
  if (typeof signIn === 'string') return signIn
  return signIn().catch(() => 'issuer away')
}

interface Files {
  readonly pageFor: (signIn: string) => Answer
  readonly find: (name: string) => Answer | null
}

const readFiles = (): Files => {
  const built = Bundle.parse(JSON.parse(readFileSync(new URL(BUNDLE_FILE, PACKAGE_ROOT), 'utf8')))
  const files = new Map(
    Object.entries(built.files).map(([name, text]): readonly [string, Answer] => [
      name,
      {
        status: 200,
        body: new FixedDocument(text),
        type: `${typeOf(name)}; charset=utf-8`,
        // another content has another name
        headers: { 'Cache-Control': 'public, max-age=31536000, immutable' },
      },
    ]),
  )
  let last: { readonly signIn: string; readonly page: Answer } | undefined
  return {
    pageFor: (signIn) => {
      if (last?.signIn !== signIn) {
        const meta = html`<meta name="sign-in" content="${signIn}" />`.text
        const body = new FixedDocument(built.document.replace('<title>', () => `${meta}\n    <title>`))
        const headers = { 'Content-Security-Policy': POLICY, 'Cache-Control': 'no-cache' }
        last = { signIn, page: { status: 200, body, type: 'text/html; charset=utf-8', headers } }
      }
      return last.page
    },
    find: (name) => files.get(name) ?? null,
  }
}

const PathPart = z.string().max(200).describe('as the page reads it')

/**
 * The console: one document at each of its addresses, and its files. It has no rights and no data of its own: what it
 * shows, it asks for by the same routes as everybody. Nothing is read before it is asked for.
 */
export const consoleRoutes = ({ signIn }: { readonly signIn: ConsoleSignIn }): readonly Route[] => {
  let read: Files | undefined
  const files = () => (read ??= readFiles())
  const page = async () => files().pageFor(await wayOf(signIn))
  return [
    route({
      ...publicGet,
      path: '/console',
      handle: page,
      documentation: {
        id: 'getConsole',
        summary: 'The console, for a browser',
        tag: 'pages',
        tagged: 'read',
        types: ['text/html'],
      },
    }),
    route({
      ...publicGet,
      gateway: { scope: 'public', quota: 'file' },
      path: '/console/assets/:file',
      params: z.object({ file: z.string().max(100).describe('as the document names it') }),
      handle: ({ params }) => {
        const file = files().find(params.file)
        if (file === null) throw new Refusal('no_route')
        return file
      },
      documentation: {
        id: 'getConsoleFile',
        summary: 'A script or a style of the console',
        tag: 'pages',
        tagged: 'read',
        types: ['text/javascript', 'text/css'],
      },
    }),
    route({
      ...publicGet,
      path: '/console/:page',
      params: z.object({ page: PathPart }),
      handle: page,
      documentation: {
        id: 'getConsolePage',
        summary: 'A page of the console, for a browser',
        tag: 'pages',
        tagged: 'read',
        types: ['text/html'],
      },
    }),
    route({
      ...publicGet,
      path: '/console/:page/:name',
      params: z.object({ page: PathPart, name: PathPart }),
      handle: page,
      documentation: {
        id: 'getConsoleItem',
        summary: 'A page of the console about one thing, for a browser',
        tag: 'pages',
        tagged: 'read',
        types: ['text/html'],
      },
    }),
  ]
}
