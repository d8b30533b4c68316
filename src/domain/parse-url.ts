/**
 * The URL in a text, or null. Use it instead of `URL.canParse`: in Node.js 20, once that has been optimized (after some
 * thousand calls), it returns false for every text with a letter between U+0080 and U+00FF.
 */
export const parseUrl = (text: string): URL | null => {
  try {
    return new URL(text)
  } catch {
    return null
  }
}
