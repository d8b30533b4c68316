class Markup {
  constructor(readonly text: string) {}
}

/** HTML that may be sent as it is. Only the functions below create it. */
export type Html = Markup

/** A value in a template. Null and undefined write nothing; a list writes its items in order. */
export type Piece = Html | string | number | null | undefined | readonly Piece[]

const escape = (text: string): string => text.replace(/[&<>"'`]/g, (character) => `&#${character.charCodeAt(0)};`)

const written = (piece: Piece): string => {
  if (piece === null || piece === undefined) return ''
  if (piece instanceof Markup) return piece.text
  if (typeof piece === 'string' || typeof piece === 'number') return escape(String(piece))
  return piece.map(written).join('')
}

/**
 * A piece of HTML. Every value in it is escaped, so that it stays text between tags and within quoted attributes; only
 * values created by this tag are inserted as they are.
 */
export const html = (literals: TemplateStringsArray, ...pieces: readonly Piece[]): Html =>
  new Markup(literals.reduce((before, literal, i) => before + written(pieces[i - 1]) + literal))

/** A style sheet. It accepts only other style sheets, so that no outside value can get into one. */
export const css = (literals: TemplateStringsArray, ...sheets: readonly Html[]): Html => html(literals, ...sheets)

/** HTML from our own build or another template. Never use it for text from outside: nothing in it is escaped. */
export const ownHtml = (text: string): Html => new Markup(text)
