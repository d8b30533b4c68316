/** With the region that the browser has for the language, so that dates and numbers look as they do elsewhere. */
export let locale: string

/** Called once, before anything is shown. */
export const setLocale = (name: string): void => {
  locale = name
}
