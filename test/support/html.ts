const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"' }

/** Text as a reader sees it: without tags, entities read, white space as one space. */
export const textOf = (markup: string): string =>
  decoded(
    markup
      .replace(/<(script|style)\b[^]*?<\/\1>/g, '')
      .replace(/<(?:wbr|\/?span|\/?b|\/?a|\/?code)\b[^>]*>/g, '')
      .replace(/<[^>]*>/g, ' '),
  )
    .replace(/\s+/g, ' ')
    .trim()

/** Text of a `pre`, with its line breaks. */
export const codeOf = (markup: string): string => decoded(markup.replace(/<[^>]*>/g, ''))

const decoded = (text: string): string =>
  text
    .replace(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)))
    .replace(/&(amp|lt|gt|quot);/g, (_, name: string) => ENTITIES[name] ?? '')

/** The values of an attribute, in order. */
export const attributesOf = (markup: string, name: string): readonly string[] =>
  [...markup.matchAll(new RegExp(`<[^>]*\\s${name}="([^"]*)"`, 'g'))].map(([, value = '']) => decoded(value))

/** Every element with this tag, from `<tag` to the next `</tag>`: for elements that hold none of their kind. */
export const elementsOf = (markup: string, tag: string): readonly string[] =>
  [...markup.matchAll(new RegExp(`<${tag}\\b[^]*?</${tag}>`, 'g'))].map(([whole]) => whole)
