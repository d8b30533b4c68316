class Markup {
  constructor(readonly text: string) {}
}

/** HTML that may be sent as it is. Only what stands below makes it. */
export type Html = Markup

/** What may stand in a template. Nothing is written for null and undefined, and a list one after another. */
export type Piece = Html | string | number | null | undefined | readonly Piece[]

const escape = (text: string): string => text.replace(/[&<>"'`]/g, (character) => `&#${character.charCodeAt(0)};`)

const written = (piece: Piece): string => {
  if (piece === null || piece === undefined) return ''
  if (piece instanceof Markup) return piece.text
  if (typeof piece === 'string' || typeof piece === 'number') return escape(String(piece))
  return piece.map(written).join('')
}

/**
 * A piece of HTML. Every value in it is escaped, so that it stays text between tags and in an attribute within quotes;
 * only what this tag itself has made goes in as it is.
 */
export const html = (literals: TemplateStringsArray, ...pieces: readonly Piece[]): Html =>
  new Markup(literals.reduce((before, literal, i) => before + written(pieces[i - 1]) + literal))

/** A style sheet. It takes other style sheets and nothing else: no value from outside has a place in one. */
export const css = (literals: TemplateStringsArray, ...sheets: readonly Html[]): Html => html(literals, ...sheets)

/**
 * HTML that our own build or another template has made. Never text that somebody sends: nothing in it is escaped.
 */
export const ownHtml = (text: string): Html => new Markup(text)
