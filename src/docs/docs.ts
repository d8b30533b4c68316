import { readFileSync } from 'node:fs'

import { PACKAGE_ROOT } from '../config.js'
import { once } from '../domain/once.js'
import { FixedDocument } from '../http/fixed-document.js'
import type { Page } from '../pages/pages.js'
import { guidePages } from './guide-page.js'
import { BuiltSite, SITE_FILE } from './page-file.js'
import { referencePage } from './reference-page.js'

/** A page to send. */
interface DocsAnswer {
  readonly body: FixedDocument
  readonly type: string
  readonly headers: Readonly<Record<string, string>>
}

/** The site under `/docs`. */
export interface Docs {
  /** the API reference */
  readonly reference: () => Promise<DocsAnswer>
  /** a page or a picture by its name, or null */
  readonly find: (name: string) => DocsAnswer | null
}

const answerOf = ({ text, headers }: Page): DocsAnswer => ({
  body: new FixedDocument(text),
  type: 'text/html; charset=utf-8',
  headers,
})

const pictureOf = (text: string): DocsAnswer => ({
  body: new FixedDocument(text),
  type: 'image/svg+xml',
  headers: { 'Cache-Control': 'public, max-age=60' },
})

const readSite = (): BuiltSite => BuiltSite.parse(JSON.parse(readFileSync(new URL(SITE_FILE, PACKAGE_ROOT), 'utf8')))

/**
 * The site: pages built by `npm run build`, and the reference of the document `openapi`. Files are read at the first
 * request, which throws if the program is not built.
 */
export const createDocs = (openapi: () => Promise<string>): Docs => {
  const site = once(readSite)
  const named = once(() => {
    const pictures = Object.entries(site().pictures).map(([name, text]) => [name, () => pictureOf(text)] as const)
    const pages = [...guidePages(site())].map(([name, page]) => [name, () => answerOf(page())] as const)
    return new Map([...pages, ...pictures].map(([name, answer]) => [name, once(answer)]))
  })
  const makeReference = async ({ scripts }: BuiltSite) =>
    answerOf(await referencePage(JSON.parse(await openapi()), scripts))
  return {
    reference: once(() => makeReference(site())),
    find: (name) => named().get(name)?.() ?? null,
  }
}
