import { z } from 'zod'

import { targetFor } from '../domain/forward-query.js'
import type { FindLink } from '../domain/link.js'
import { route } from '../layers/compose.js'
import type { Documentation } from '../layers/documentation.js'
import type { Route } from '../layers/route.js'
import { FAVICON_ICO, FAVICON_SVG, homePage, previewPage } from '../pages/pages.js'
import { publicPart } from './link-view.js'
import { Code, text, textOrNull } from './schemas.js'
import { PUBLIC_GET, publicLink } from './shared-layers.js'
import { requireOpen } from './visible-link.js'

/**
 * RFC 9309: crawlers may read only `/`. One that followed links would count as a visitor, and would publish links that
 * were given only to a few people; and the API has nothing to search for.
 */
const ROBOTS = 'User-agent: *\nAllow: /$\nDisallow: /\n'

/** A file that browsers and crawlers ask for at a fixed path. */
const fileRoute = (
  path: string,
  body: string | Buffer,
  type: string,
  texts: Pick<Documentation, 'id' | 'summary' | 'description'>,
): Route =>
  route({
    ...PUBLIC_GET,
    path,
    handle: () => ({ status: 200, body, type, headers: { 'Cache-Control': 'public, max-age=86400' } }),
    documentation: { ...texts, tag: 'pages', types: [type.replace(/;.*/, '')] },
  })

/** Pages and files beside the links: `/`, icons, robots.txt; and previews of links. */
export const pageRoutes = ({
  findLink,
  baseUrl,
  version,
}: {
  readonly findLink: FindLink
  readonly baseUrl: string
  readonly version: string
}): readonly Route[] => {
  const { host } = new URL(baseUrl)
  return [
    route({
      ...PUBLIC_GET,
      path: '/',
      handle: () => ({
        status: 200,
        body: { name: 'linkgate', version, documentation: `${baseUrl}/docs` },
        page: homePage(host),
        headers: { 'Cache-Control': 'public, max-age=60' },
      }),
      documentation: {
        id: 'getHome',
        summary: 'What this service is',
        description: 'And where it is documented. Browsers get a page.',
        tag: 'pages',
        types: ['text/html'],
        response: z.object({
          name: z.literal('linkgate').describe('the name of the service'),
          version: text(32, 'version of the service'),
          documentation: z.url().max(2_048).describe('URL of the API reference'),
        }),
      },
    }),
    fileRoute('/favicon.ico', FAVICON_ICO, 'image/vnd.microsoft.icon', { id: 'getFaviconIco', summary: 'The icon' }),
    fileRoute('/favicon.svg', FAVICON_SVG, 'image/svg+xml', {
      id: 'getFaviconSvg',
      summary: 'The icon as a vector graphic',
    }),
    fileRoute('/robots.txt', ROBOTS, 'text/plain; charset=utf-8', {
      id: 'getRobots',
      summary: 'What crawlers may read (RFC 9309)',
      description: 'Only `/`.',
    }),
    route({
      ...PUBLIC_GET,
      ...publicLink(findLink, requireOpen),
      path: '/:code+',
      handle: ({ record, querystring }) => {
        const seen = publicPart({ ...record, target: targetFor(record, querystring) })
        return {
          status: 200,
          body: seen,
          page: previewPage({ ...seen, query: record.forward_query ? querystring : '' }, host),
          headers: { 'Cache-Control': 'no-cache', 'X-Robots-Tag': 'noindex' },
        }
      },
      documentation: {
        id: 'previewLink',
        refusals: ['link_expired'],
        summary: 'Show where a link leads',
        description: 'Without following it. Browsers get a page.',
        tag: 'pages',
        types: ['text/html'],
        response: z.object({
          code: Code,
          target: text(2_048, 'the target URL; absent if a password protects it').optional(),
          title: textOrNull(200, 'one line'),
        }),
      },
    }),
  ]
}
