import { de } from './de.js'
import { en } from './en.js'
import type { Texts } from './en.js'

export type { Texts } from './en.js'

/** The languages by their tags (BCP 47). The first is the default. */
const LANGUAGES: ReadonlyMap<string, Texts> = new Map([en, de].map((texts) => [texts.language, texts]))

export const LANGUAGE_TAGS: readonly string[] = [...LANGUAGES.keys()]

/** The texts in that language, or in English if it is not available. */
export const textsIn = (tag: string | false): Texts => LANGUAGES.get(tag === false ? 'en' : tag) ?? en
