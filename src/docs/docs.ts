import { readFileSync } from 'node:fs'

import { PACKAGE_ROOT } from '../config.js'
import { FixedDocument } from '../http/fixed-document.js'
import { guidePages } from './guide-page.js'
import type { DocsPage } from './layout.js'
import { BuiltSite, SITE_FILE } from './page-file.js'
import { referencePage } from './reference-page.js'

/** A page to send. */
export interface DocsAnswer {
  readonly body: FixedDocument
  readonly type: string
  readonly headers: Readonly<Record<string, string>>
}

/** The site under `/docs`. */
export interface Docs {
  /** the API reference */
  readonly reference: () => DocsAnswer
  /** a page or a picture by its name, or null */
  readonly find: (name: string) => DocsAnswer | null
}

const answerOf = ({ text, headers }: DocsPage): DocsAnswer => ({
  body: new FixedDocument(text),
  type: 'text/html; charset=utf-8',
  headers,
})

const pictureOf = (text: string): DocsAnswer => ({
  body: new FixedDocument(text),
  type: 'image/svg+xml',
  headers: { 'Cache-Control': 'public, max-age=60' },
})

/** The same function with a cache of its results. */
const kept = <Value>(make: (name: string) => Value | null): ((name: string) => Value | null) => {
  const known = new Map<string, Value>()
  return (name) => {
    const found = known.get(name) ?? make(name)
    if (found !== null) known.set(name, found)
    return found
  }
}

const readSite = (): BuiltSite => BuiltSite.parse(JSON.parse(readFileSync(new URL(SITE_FILE, PACKAGE_ROOT), 'utf8')))

/**
 * The site: pages built by `npm run build`, and the reference of the document `openapi`. Files are read at the first
 * request, which throws if the program is not built.
 */
export const createDocs = (openapi: () => unknown): Docs => {
  let read: BuiltSite | undefined
  const site = () => (read ??= readSite())
  let reference: DocsAnswer | undefined
  return {
    reference: () => (reference ??= answerOf(referencePage(openapi(), site().scripts))),
    find: kept((name) => {
      const picture = new Map(Object.entries(site().pictures)).get(name)
      if (picture !== undefined) return pictureOf(picture)
      const page = guidePages(site()).get(name)
      return page === undefined ? null : answerOf(page())
    }),
  }
}
