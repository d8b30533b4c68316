import { store, stored } from '../parts/stored'
import { setLocale } from './format'
import type { Texts } from './texts'

export const LANGUAGES = ['en', 'de'] as const
type Language = (typeof LANGUAGES)[number]
export const LANGUAGE_NAMES: Readonly<Record<Language, string>> = { en: 'English', de: 'Deutsch' }
const isLanguage = (name: string | null): name is Language => LANGUAGES.some((language) => language === name)

/** The texts of the language chosen in Settings, or preferred by the browser; set before anything is rendered. */
export let t: Texts

/** Loads the texts of one language. */
export const loadLanguage = async (): Promise<void> => {
  const chosen = stored('language')
  const short = (name: string) => name.split('-')[0] ?? ''
  const language = isLanguage(chosen) ? chosen : (navigator.languages.map(short).find(isLanguage) ?? 'en')
  t = language === 'de' ? (await import('./de')).de : (await import('./en')).en
  setLocale(navigator.languages.find((name) => short(name) === language) ?? language)
  document.documentElement.lang = language
}

export const currentLanguage = (): Language => (document.documentElement.lang === 'de' ? 'de' : 'en')

/** Reloads the page, because texts are everywhere. */
export const chooseLanguage = (language: Language): void => {
  store('language', language)
  location.reload()
}
