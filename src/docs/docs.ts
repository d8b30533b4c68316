import { readFileSync } from 'node:fs'

import { PACKAGE_ROOT } from '../config.js'
import { FixedDocument } from '../http/fixed-document.js'
import { guidePages } from './guide-page.js'
import type { DocsPage } from './layout.js'
import { BuiltSite, SITE_FILE } from './page-file.js'
import { referencePage } from './reference-page.js'

/** A page as it is answered. */
export interface DocsAnswer {
  readonly body: FixedDocument
  readonly type: string
  readonly headers: Readonly<Record<string, string>>
}

/** What the site answers under `/docs`. */
export interface Docs {
  /** the API reference */
  readonly reference: () => DocsAnswer
  /** a page or a picture by its name; null where there is none */
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

/** The same function, but each answer that it has given is kept. */
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
 * The site: pages that `npm run build` made, and the reference of the document `openapi`. Nothing is read before it is
 * asked for; throws then where the program is not built.
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
