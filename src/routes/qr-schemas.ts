import { z } from 'zod'

import { contrastOf, parseColour, type Colour } from '../qr/contrast.js'
import { QR_FORMATS, QR_LEVELS } from '../qr/qr-code.js'
import { integerText } from './schemas.js'

/** The contrast that WCAG 2.2 (1.4.11) requires of graphics; readers of QR codes need about as much. */
const LEAST_CONTRAST = 3

const whole = (least: number, most: number, usual: number, description: string) =>
  integerText(least, most).prefault(String(usual)).describe(description)

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
    format: z.enum(QR_FORMATS).default('svg').describe('format of the picture'),
    size: whole(64, 2_048, 512, 'width and height in pixels'),
    margin: whole(0, 16, 4, 'light squares on each side; readers count on four'),
    level: z
      .enum(QR_LEVELS)
      .default('M')
      .meta({ description: 'how much of the code may be hidden: L 7 %, M 15 %, Q 25 %, H 30 %' }),
    dark: colour('#000000', 'colour of the squares'),
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
