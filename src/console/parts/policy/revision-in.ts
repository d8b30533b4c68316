/** A revision in an address; null: none, or no number. */
export const revisionIn = (text: string | undefined): number | null =>
  text !== undefined && /^[1-9]\d{0,14}$/.test(text) ? Number(text) : null
