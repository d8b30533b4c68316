/** A positive integer of at most 15 digits, such as a policy revision; null if the text is anything else. */
export const positiveIntegerIn = (text: string | undefined): number | null =>
  text !== undefined && /^[1-9]\d{0,14}$/.test(text) ? Number(text) : null
