import { createHash } from 'node:crypto'

import { MARK } from './icon.js'
import { html, type Html } from './html.js'
import type { Texts } from './languages/languages.js'
import { STYLE } from './style.js'

/** A page to send: its text, and the headers that belong to it. */
export interface Page {
  readonly text: string
  readonly headers: Readonly<Record<string, string>>
}

/** A page before its reader's language is known. */
export type PageIn = (texts: Texts) => Page

interface Content {
  readonly title: string
  readonly body: Html
  /** lines of small print: which request the page answers, and on which host */
  readonly foot: readonly string[]
  /**
   * Where a form on the page may lead: to this service, or also to a target, because Chromium applies the policy to the
   * redirect after a form as well. It does not list targets: only people who entered the password may learn them.
   */
  readonly form?: 'here' | 'to a target'
  /** true if the visitor can do nothing more here */
  readonly ended?: boolean
  /** true for the one page that search engines may index */
  readonly indexed?: boolean
}

const FORM_ACTION = { none: "'none'", here: "'self'", 'to a target': "'self' http: https:" } as const

const hashOf = (inline: Html): string => `'sha256-${createHash('sha256').update(inline.text).digest('base64')}'`

/**
 * A content security policy: one inline style by its hash, the service's own images, and nothing else. Scripts run only
 * by their hashes; they may call this service, and cannot turn text into HTML.
 */
export const policyOf = (style: Html, form: keyof typeof FORM_ACTION = 'none', scripts: readonly Html[] = []): string =>
  [
    "default-src 'none'",
    `style-src ${hashOf(style)}`,
    ...(scripts.length === 0
      ? []
      : [
          `script-src ${scripts.map(hashOf).join(' ')}`,
          "connect-src 'self'",
          "require-trusted-types-for 'script'",
          "trusted-types 'none'",
        ]),
    "img-src 'self'",
    "base-uri 'none'",
    `form-action ${FORM_ACTION[form]}`,
    "frame-ancestors 'none'",
  ].join('; ')

const POLICIES: Readonly<Record<keyof typeof FORM_ACTION, string>> = {
  none: policyOf(STYLE),
  here: policyOf(STYLE, 'here'),
  'to a target': policyOf(STYLE, 'to a target'),
}

/** Without whitespace around the sheet, because the hash covers everything between the tags. */
// prettier-ignore
const styleElement = (style: Html): Html => html`<style>${style}</style>`

/** A whole document; every page of the service is built with it. */
export const documentOf = (parts: {
  readonly language: string
  readonly title: string
  readonly style: Html
  readonly indexed: boolean
  readonly body: Html
}): string => {
  const { language, title, style, indexed, body } = parts
  return html`<!doctype html>
    <html lang="${language}">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        ${indexed ? null : html`<meta name="robots" content="noindex" />`}
        <title>${title}</title>
        <link rel="icon" href="/favicon.ico" sizes="32x32" />
        <link rel="icon" href="/favicon.svg" type="image/svg+xml" />
        ${styleElement(style)}
      </head>
      ${body}
    </html> `.text
}

/** Puts a page's content into the common layout. */
export const pageOf = (texts: Texts, content: Content): Page => {
  const { title, body, foot, form = 'none', ended = false, indexed = false } = content
  const { language } = texts
  const whole = html`<body class="${ended ? 'ended' : 'open'}">
    <main>
      ${MARK}
      <h1>${title}</h1>
      ${body}
    </main>
    <footer>${foot.map((line) => html`<div>${line}</div>`)}</footer>
  </body>`
  return {
    text: documentOf({ language, title, style: STYLE, indexed, body: whole }),
    headers: { 'Content-Security-Policy': POLICIES[form], 'Content-Language': language },
  }
}

/** A short URL as readers know it, such as `go.example.com/launch`. */
export const shownAddress = (host: string, code: string): Html => html`<strong>${host}/${code}</strong>`
