/** Includes the region that the browser has for the language, so that dates and numbers look familiar. */
export let locale: string

/** Called once, before anything is rendered. */
export const setLocale = (name: string): void => {
  locale = name
}
