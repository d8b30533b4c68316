import { z } from 'zod'

import type { Link } from '../domain/link.js'
import { Refusal } from '../domain/refusal.js'
import { contentTag } from '../http/content-tag.js'
import { route } from '../layers/compose.js'
import { NO_DATA, NO_INPUT } from '../layers/route.js'
import type { Route } from '../layers/route.js'
import { contrastOf, parseColour } from '../qr/contrast.js'
import type { Colour } from '../qr/contrast.js'
import { QR_FORMATS, QR_LEVELS, drawQr, encodeModules, smallestSize } from '../qr/qr-code.js'
import { requireOpen } from './redirect.js'
import { Code } from './schemas.js'

const MEDIA_TYPES = { svg: 'image/svg+xml', png: 'image/png' } as const

/** What WCAG 2.2 (1.4.11) asks of graphics; readers of codes need about as much. */
const LEAST_CONTRAST = 3

const whole = ({ least, most, usual, unit }: { least: number; most: number; usual: number; unit: string }) =>
  z
    .string()
    .default(String(usual))
    .refine(
      (text) => /^\d{1,4}$/.test(text) && Number(text) >= least && Number(text) <= most,
      `must be an integer from ${least} to ${most}`,
    )
    .transform(Number)
    .meta({ type: 'integer', minimum: least, maximum: most, default: usual, description: unit })

const colour = (usual: Colour, description: string) =>
  z
    .string()
    .default(usual)
    .transform((text, context) => {
      const parsed = parseColour(text)
      if (parsed !== null) return parsed
      context.addIssue({ code: 'custom', message: 'must be a colour as #rrggbb, with # as %23 or left out' })
      return z.NEVER
    })
    .meta({ pattern: '^#?[0-9A-Fa-f]{6}$', maxLength: 7, default: usual, description, examples: [usual.slice(1)] })

export const Look = z
  .strictObject({
    format: z.enum(QR_FORMATS).default('svg').describe('of the picture'),
    size: whole({ least: 64, most: 2_048, usual: 512, unit: 'width and height in pixels' }),
    margin: whole({ least: 0, most: 16, usual: 4, unit: 'light squares on each side; readers count on four' }),
    level: z
      .enum(QR_LEVELS)
      .default('M')
      .meta({ description: 'how much of the code may be hidden: L 7 %, M 15 %, Q 25 %, H 30 %' }),
    dark: colour('#000000', 'of the squares'),
    light: colour('#ffffff', `of the ground; at least ${LEAST_CONTRAST}:1 lighter than dark`),
  })
  .superRefine(({ dark, light }, context) => {
    const contrast = contrastOf(dark, light)
    if (contrast >= LEAST_CONTRAST) return
    const message =
      contrast < 1
        ? 'must be darker than light'
        : // rounded down: 2.996 is not enough, and must not look like it
          `must differ from light by a contrast of at least ${LEAST_CONTRAST}:1 (WCAG 2.2); it is ` +
          `${(Math.floor(contrast * 100) / 100).toFixed(2)}:1`
    context.addIssue({ code: 'custom', path: ['dark'], message })
  })

const ByCode = z.object({ code: Code })

/**
 * The picture of a link's short URL. It tells nothing beside that URL, so it is there for whoever may read the link,
 * and a password on the link changes nothing. Drawing it takes a few milliseconds at most: no picture is kept here, and
 * callers keep theirs by the ETag.
 */
export const qrRoute = ({
  findLink,
  baseUrl,
}: {
  readonly findLink: (code: string) => Promise<Link | null>
  readonly baseUrl: string
}): Route =>
  route({
    method: 'get',
    path: '/links/:code/qr',
    status: 200,
    ...NO_INPUT,
    gateway: { scope: 'public', quota: 'caller' },
    endpoint: 'link:read',
    object: { action: 'link:read', load: ({ code }: z.infer<typeof ByCode>) => findLink(code) },
    data: NO_DATA,
    params: ByCode,
    query: Look,
    handle: ({ record, caller, snapshot, query: { format, level, ...look } }) => {
      if (!snapshot.can(caller.user, 'link:update', record)) requireOpen(record)
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
          // a page of another site may show it: it holds nothing that its address does not tell
          'Cross-Origin-Resource-Policy': 'cross-origin',
          ...(caller.user === null ? { 'Cache-Control': 'public, max-age=300' } : {}),
        },
      }
    },
    documentation: {
      id: 'getLinkQr',
      refusals: ['link_expired'],
      summary: 'The QR code of a link’s short URL',
      tag: 'links',
      types: Object.values(MEDIA_TYPES),
      tagged: 'read',
    },
  })
