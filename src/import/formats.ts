import { bitly } from './formats/bitly.js'
import { csv } from './formats/csv.js'
import { kutt } from './formats/kutt.js'
import { shlink } from './formats/shlink.js'
import { yourls } from './formats/yourls.js'
import type { ImportFormat } from './words.js'

/** The formats that can be imported, by the names that the command line gives them. */
export const FORMATS = { csv, bitly, shlink, kutt, yourls } as const satisfies Readonly<Record<string, ImportFormat>>
export type FormatName = keyof typeof FORMATS
export const FORMAT_NAMES: readonly FormatName[] = ['csv', 'bitly', 'shlink', 'kutt', 'yourls']
