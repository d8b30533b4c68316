import { z } from 'zod'

import type { Link } from '../domain/link.js'
import { route } from '../layers/compose.js'
import type { Route } from '../layers/route.js'
import { FAVICON_ICO, FAVICON_SVG, homePage, previewPage } from '../pages/pages.js'
import { publicPart } from './link-view.js'
import { requireOpen } from './redirect.js'
import { publicGet } from './public-get.js'
import { ByCode, Code, text, textOrNull } from './schemas.js'

const FOR_A_DAY = { 'Cache-Control': 'public, max-age=86400' } as const

/**
 * RFC 9309: crawlers may read `/` alone. One that followed links would be counted as their visitor, and what it found
 * would be listed for everybody, though it was given to a few; and the API has nothing that a search could find.
 */
const ROBOTS = 'User-agent: *\nAllow: /$\nDisallow: /\n'

/** What a browser asks a service for beside its links: `/`, icons, robots.txt; and previews of links. */
export const pageRoutes = ({
  findLink,
  baseUrl,
  version,
}: {
  readonly findLink: (code: string) => Promise<Link | null> | Link | null
  readonly baseUrl: string
  readonly version: string
}): readonly Route[] => {
  const { host } = new URL(baseUrl)
  return [
    route({
      ...publicGet,
      path: '/',
      handle: () => ({
        status: 200,
        body: { name: 'linkgate', version, documentation: `${baseUrl}/docs` },
        page: homePage(host),
        headers: { 'Cache-Control': 'public, max-age=60' },
      }),
      documentation: {
        id: 'getHome',
        summary: 'What this is, and where it is described; a page for a browser',
        tag: 'pages',
        types: ['text/html'],
        response: z.object({
          name: z.literal('linkgate').describe('what this is'),
          version: text(32, 'of the program'),
          documentation: z.url().max(2_048).describe('a page about the API'),
        }),
      },
    }),
    route({
      ...publicGet,
      path: '/favicon.ico',
      handle: () => ({ status: 200, body: FAVICON_ICO, type: 'image/vnd.microsoft.icon', headers: FOR_A_DAY }),
      documentation: { id: 'getFaviconIco', summary: 'The icon', tag: 'pages', types: ['image/vnd.microsoft.icon'] },
    }),
    route({
      ...publicGet,
      path: '/favicon.svg',
      handle: () => ({ status: 200, body: FAVICON_SVG, type: 'image/svg+xml', headers: FOR_A_DAY }),
      documentation: {
        id: 'getFaviconSvg',
        summary: 'The icon as a vector graphic',
        tag: 'pages',
        types: ['image/svg+xml'],
      },
    }),
    route({
      ...publicGet,
      path: '/robots.txt',
      handle: () => ({ status: 200, body: ROBOTS, type: 'text/plain; charset=utf-8', headers: FOR_A_DAY }),
      documentation: {
        id: 'getRobots',
        summary: 'What crawlers may read (RFC 9309): `/` alone',
        tag: 'pages',
        types: ['text/plain'],
      },
    }),
    route({
      ...publicGet,
      path: '/:code+',
      endpoint: 'link:read',
      object: { action: 'link:read', load: ({ code }: z.infer<typeof ByCode>) => findLink(code) },
      params: ByCode,
      handle: ({ record }) => {
        requireOpen(record)
        const seen = publicPart(record)
        return {
          status: 200,
          body: seen,
          page: previewPage(seen, host),
          headers: { 'Cache-Control': 'no-cache', 'X-Robots-Tag': 'noindex' },
        }
      },
      documentation: {
        id: 'previewLink',
        refusals: ['link_expired'],
        summary: 'Show where a link leads without following it; a page for a browser',
        tag: 'pages',
        types: ['text/html'],
        response: z.object({
          code: Code,
          target: text(2_048, 'where it leads; not where a password guards it').optional(),
          title: textOrNull(200, 'one line'),
        }),
      },
    }),
  ]
}
