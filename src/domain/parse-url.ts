/**
 * The URL that a text is, or null. In place of `URL.canParse`, which Node.js 20 compiles after some thousand calls to
 * code that finds fault with every letter between U+0080 and U+00FF.
 */
export const parseUrl = (text: string): URL | null => {
  try {
    return new URL(text)
  } catch {
    return null
  }
}
