import { crc32, deflateSync } from 'node:zlib'

import { channelsOf, type Colour } from './contrast.js'

/** A square picture of two colours. */
interface Bitmap {
  /** pixels on each side */
  readonly size: number
  /** the colours of unset and of set pixels */
  readonly colours: readonly [Colour, Colour]
  readonly isSet: (x: number, y: number) => boolean
  /** whether a row equals the one above it; `isSet` is not called for such a row */
  readonly sameAsBefore: (y: number) => boolean
}

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
const ONE_BIT = 1
const PALETTE = 3
/** ten times as fast as zlib's default level of 6, for a few bytes more */
const QUICK = 3
const FILTER_NONE = 0
const FILTER_UP = 2

/** A PNG with one bit a pixel and a palette of two (PNG, third edition, https://www.w3.org/TR/png-3/). */
export const bitmapPng = (bitmap: Bitmap): Buffer => {
  const { size, colours } = bitmap
  const header = Buffer.alloc(13)
  header.writeUInt32BE(size, 0)
  header.writeUInt32BE(size, 4)
  header.set([ONE_BIT, PALETTE], 8)
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', header),
    chunk('PLTE', Buffer.from(colours.flatMap(channelsOf))),
    chunk('IDAT', deflateSync(scanlinesOf(bitmap), { level: QUICK })),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

/** The rows, each after its filter byte. A row equal to the one above is all zeros under the filter Up. */
const scanlinesOf = ({ size, isSet, sameAsBefore }: Bitmap): Buffer => {
  const length = 1 + Math.ceil(size / 8)
  const lines = Buffer.alloc(length * size)
  for (let y = 0; y < size; y += 1) {
    const start = y * length
    const repeated = y > 0 && sameAsBefore(y)
    lines[start] = repeated ? FILTER_UP : FILTER_NONE
    for (let x = 0; x < (repeated ? 0 : size); x += 1) {
      const at = start + 1 + (x >> 3)
      if (isSet(x, y)) lines[at] = (lines[at] ?? 0) | (0x80 >> (x & 7))
    }
  }
  return lines
}

const chunk = (type: string, data: Buffer): Buffer => {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const framed = Buffer.alloc(body.length + 8)
  framed.writeUInt32BE(data.length, 0)
  body.copy(framed, 4)
  framed.writeUInt32BE(crc32(body), body.length + 4)
  return framed
}
