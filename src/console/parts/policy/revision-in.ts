/** The revision in a URL; null if there is none, or it is not a number. */
export const revisionIn = (text: string | undefined): number | null =>
  text !== undefined && /^[1-9]\d{0,14}$/.test(text) ? Number(text) : null
