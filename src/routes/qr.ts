import type { FindLink } from '../domain/link.js'
import { Refusal } from '../domain/refusal.js'
import { contentTag } from '../http/content-tag.js'
import { route } from '../layers/compose.js'
import type { Route } from '../layers/route.js'
import { NO_DATA } from '../layers/rules.js'
import { drawQr, encodeModules, smallestSize } from '../qr/qr-code.js'
import { Look } from './qr-schemas.js'
import { publicLink } from './shared-layers.js'
import { requireShown } from './visible-link.js'

const MEDIA_TYPES = { svg: 'image/svg+xml', png: 'image/png' } as const

/**
 * The QR code of a link's short URL. It reveals nothing but that URL, so everybody who may read the link may have it,
 * whether or not the link has a password. Drawing it takes a few milliseconds at most, so it is not cached here;
 * clients cache it by its ETag.
 */
export const qrRoute = ({ findLink, baseUrl }: { readonly findLink: FindLink; readonly baseUrl: string }): Route =>
  route({
    ...publicLink(findLink, requireShown),
    method: 'get',
    path: '/links/:code/qr',
    status: 200,
    data: NO_DATA,
    query: Look,
    handle: ({ record, caller, query: { format, level, ...look } }) => {
      const modules = encodeModules(`${baseUrl}/${record.code}`, level)
      const least = smallestSize(modules, look)
      if (look.size < least) {
        const message = `must be at least ${least} for this link with this level and margin`
        throw new Refusal('invalid_query', { errors: [{ field: 'size', message }] })
      }
      const picture = drawQr(format, modules, look)
      return {
        status: 200,
        body: picture,
        type: MEDIA_TYPES[format],
        headers: {
          ETag: contentTag(picture),
          Vary: 'Authorization',
          // pages of other sites may show it: it contains nothing that its URL does not reveal
          'Cross-Origin-Resource-Policy': 'cross-origin',
          ...(caller.user === null ? { 'Cache-Control': 'public, max-age=300' } : {}),
        },
      }
    },
    documentation: {
      id: 'getLinkQr',
      refusals: ['link_expired'],
      summary: 'Get the QR code of a link’s short URL',
      tag: 'links',
      types: Object.values(MEDIA_TYPES),
      tagged: 'read',
    },
  })
