import { de } from './de.js'
import { en, type Texts } from './en.js'

export type { Texts } from './en.js'

/** The languages by their tags (BCP 47). */
const LANGUAGES: ReadonlyMap<string, Texts> = new Map([en, de].map((texts) => [texts.language, texts]))

export const LANGUAGE_TAGS: readonly string[] = [...LANGUAGES.keys()]

/**
 * The texts in the first of these languages that is available, by lookup (RFC 4647 §3.4): `en` serves `en-GB`. English
 * if none is.
 */
export const textsIn = (...tags: readonly string[]): Texts => {
  const found = tags.map((tag) => LANGUAGES.get(tag.toLowerCase().split('-')[0] ?? ''))
  return found.find((texts) => texts !== undefined) ?? en
}
