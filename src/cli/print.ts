import { once } from 'node:events'
import { styleText } from 'node:util'

import { escapeControls, escapeInLine } from '../log/escape-invisible.js'

/**
 * Prints on stdout. Every command prints by this and `complain` alone: no text that somebody stored (a reason, a name,
 * a role in a faulty row) reaches the terminal as anything but text. What is escaped in JSON stays the same JSON.
 */
export const print = (text: string): void => {
  writeLines(escapeControls(text))
}

/** As `print`, and resolves when more can be written: a slow reader must not make memory grow. */
export const printPart = async (text: string): Promise<void> => {
  if (!process.stdout.write(escapeControls(text))) await once(process.stdout, 'drain')
}

/** Prints one line with colours: the only escapes that get through, so every other text of it is escaped before. */
export const printStyled = (parts: readonly StyledText[]): void => {
  writeLines(parts.map(({ text, style }) => paint(style, escapeInLine(text))).join('  '))
}

export interface StyledText {
  readonly text: string
  readonly style?: 'red' | 'green' | 'yellow' | 'dim'
}

/** On a terminal only, and not with NO_COLOR (https://no-color.org). */
const paint = (style: StyledText['style'], text: string): string =>
  style === undefined ? text : styleText(style, text, { stream: process.stdout })

const writeLines = (text: string): void => {
  process.stdout.write(text.endsWith('\n') ? text : `${text}\n`)
}

/** One line on stderr. */
export const complain = (text: string): void => {
  process.stderr.write(`linkgate: ${escapeInLine(text.replaceAll(/\s*\n\s*/g, ' '))}\n`)
}
