/** printable ASCII without the backslash, which only browsers read as a slash */
const PLAIN = /^[\x21-\x5b\x5d-\x7e]+$/

/** A target as it is stored: exactly as it was given, or percent-encoded where it goes beyond ASCII. */
export const storedTarget = (text: string): string =>
  PLAIN.test(text) || !URL.canParse(text) ? text : new URL(text).href
