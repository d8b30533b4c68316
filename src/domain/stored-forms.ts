import { domainToASCII } from 'node:url'

/**
 * The forms in which a text can stand in a stored link: as it is, with its accents composed or apart, percent-encoded
 * in the path of a target, and with its beginning as an international domain name. A database does not see the case of
 * encoded letters, so the usual ones have a form each: as given, all small, all capital, and words with a capital. A
 * text of ASCII has one form.
 */
export const storedForms = (text: string): readonly string[] => {
  if (ASCII.test(text)) return [text]
  const normal = text.normalize('NFC')
  const small = normal.toLowerCase()
  const cases = [normal, small, capital(normal), small.replaceAll(/(?<!\p{L})\p{L}/gu, capital)]
  return [...new Set([...spellings(text), ...cases.flatMap(inTarget)])]
}

/** The spellings of a text that look the same to people, but differ for a database, even in lower case. */
export const spellings = (text: string): readonly string[] => {
  const normal = text.normalize('NFC')
  const forms = [text, normal, ...(SIGMA.test(normal) ? [normal.toLowerCase(), capital(normal)] : [])]
  return [...new Set([...forms, ...forms.map((form) => form.normalize('NFD'))])]
}

/** Greek has two small sigmas for one capital. A database lowers the capital to the same one everywhere. */
const SIGMA = /[σςΣ]/u

/** Without `ß`, which would become two letters. */
const capital = (text: string): string =>
  text.replaceAll(/\p{Ll}/gu, (letter) =>
    letter.toUpperCase().length === letter.length ? letter.toUpperCase() : letter,
  )

const inTarget = (text: string): readonly string[] => {
  const [, host = '', rest = ''] = /^(?:https?:\/\/)?([^/?#]*)(.*)$/isu.exec(text) ?? []
  const domain = domainToASCII(host)
  return [encoded(text), ...(domain === '' ? [] : [domain + encoded(rest)])]
}

// eslint-disable-next-line no-control-regex -- all of ASCII
const ASCII = /^[\u0000-\u007f]*$/

const encoded = (text: string): string =>
  text
    .replaceAll(/[^\x21-\x7e]/gu, (letter) => (LONE_SURROGATE.test(letter) ? letter : encodeURIComponent(letter)))
    .toLowerCase()

const LONE_SURROGATE = /\p{Cs}/u
