import { de } from './de.js'
import { en } from './en.js'
import type { Texts } from './en.js'

export type { Texts } from './en.js'

/** The languages by their tags (BCP 47). The first is for whoever asks for none of them. */
const LANGUAGES: Readonly<Record<string, Texts>> = { en, de }

export const LANGUAGE_TAGS: readonly string[] = Object.keys(LANGUAGES)

/** The texts of that language, and English ones for a language that is not here. */
export const textsIn = (tag: string | false): Texts => (tag === false ? undefined : LANGUAGES[tag]) ?? en
