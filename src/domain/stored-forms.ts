import { domainToASCII } from 'node:url'

/**
 * The forms in which a text can stand in a stored link: as it is, percent-encoded in the path of a target, and with its
 * beginning as an international domain name. A text of ASCII has one form.
 */
export const storedForms = (text: string): readonly string[] => {
  if (ASCII.test(text)) return [text]
  const normal = text.normalize('NFC')
  const [, host = '', rest = ''] = /^(?:https?:\/\/)?([^/?#]*)(.*)$/isu.exec(normal) ?? []
  const domain = domainToASCII(host)
  return [
    ...new Set([
      text,
      normal,
      encoded(normal),
      encoded(normal.toLowerCase()),
      ...(domain === '' ? [] : [domain + encoded(rest)]),
    ]),
  ]
}

// eslint-disable-next-line no-control-regex -- all of ASCII
const ASCII = /^[\u0000-\u007f]*$/

const encoded = (text: string): string =>
  text.replaceAll(/[^\x21-\x7e]/gu, (letter) => (LONE_SURROGATE.test(letter) ? letter : encodeURIComponent(letter)))

const LONE_SURROGATE = /\p{Cs}/u
