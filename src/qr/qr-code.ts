import { encodeQR } from 'qr'

import type { Colour } from './contrast.js'
import { bitmapPng } from './png.js'

/** Error correction levels: how much of a code may be damaged, 7, 15, 25 or 30 % (ISO/IEC 18004). */
export const QR_LEVELS = ['L', 'M', 'Q', 'H'] as const
type QrLevel = (typeof QR_LEVELS)[number]

const NAMES = { L: 'low', M: 'medium', Q: 'quartile', H: 'high' } as const

export const QR_FORMATS = ['svg', 'png'] as const
type QrFormat = (typeof QR_FORMATS)[number]

/** The dark and light squares of a code, without its margin. */
type Modules = readonly (readonly boolean[])[]

interface QrLook {
  /** width and height of the picture in pixels */
  readonly size: number
  /** width of the quiet zone in modules; scanners expect four */
  readonly margin: number
  readonly dark: Colour
  readonly light: Colour
}

/** Encodes a text. Throws if it is longer than the level's largest code can hold (1,273 bytes for H). */
export const encodeModules = (text: string, level: QrLevel): Modules =>
  // the library always draws a margin
  encodeQR(text, 'raw', { ecc: NAMES[level], border: 1 })
    .slice(1, -1)
    .map((row) => row.slice(1, -1))

/** The size in pixels at which each module is one pixel wide. */
export const smallestSize = (modules: Modules, { margin }: Pick<QrLook, 'margin'>): number =>
  modules.length + 2 * margin

/** Draws the code. `size` is at least `smallestSize`. */
export const drawQr = (format: QrFormat, modules: Modules, look: QrLook): string | Buffer =>
  format === 'svg' ? svgOf(modules, look) : pngOf(modules, look)

/** A single path for all dark modules, with one rectangle per horizontal run. Contains no script, style or link. */
const svgOf = (modules: Modules, { size, margin, dark, light }: QrLook): string => {
  const side = modules.length + 2 * margin
  const runs = modules.flatMap((row, y) =>
    runsOf(row).map(({ start, length }) => `M${start + margin} ${y + margin}h${length}v1h-${length}z`),
  )
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" width="${size}" height="${size}" viewBox="0 0 ${side} ${side}" ` +
    `shape-rendering="crispEdges"><path fill="${light}" d="M0 0h${side}v${side}H0z"/>` +
    `<path fill="${dark}" d="${runs.join('')}"/></svg>\n`
  )
}

const runsOf = (row: readonly boolean[]): readonly { readonly start: number; readonly length: number }[] => {
  const runs: { start: number; length: number }[] = []
  row.forEach((isDark, x) => {
    const last = runs.at(-1)
    if (!isDark) return
    if (last !== undefined && last.start + last.length === x) last.length += 1
    else runs.push({ start: x, length: 1 })
  })
  return runs
}

/** Modules are whole pixels, so none is blurred. The remaining pixels go to the margin, on all sides. */
const pngOf = (modules: Modules, look: QrLook): Buffer => {
  const { size, dark, light } = look
  const scale = Math.floor(size / smallestSize(modules, look))
  const before = Math.floor((size - modules.length * scale) / 2)
  // maps a row or column of pixels to one of modules
  const squares = Int16Array.from({ length: size }, (_, pixel) => Math.floor((pixel - before) / scale))
  return bitmapPng({
    size,
    colours: [light, dark],
    sameAsBefore: (y) => squares[y] === squares[y - 1],
    isSet: (x, y) => modules[squares[y] ?? -1]?.[squares[x] ?? -1] === true,
  })
}
