import { once } from 'node:events'
import { styleText } from 'node:util'

import { escapeControls, escapeInLine } from '../log/escape-invisible.js'

/**
 * Prints to stdout. All commands print only through the functions of this file, so that no stored text (a reason, a
 * name, a role in a faulty row) can send control characters to the terminal. Escaped JSON stays the same JSON.
 */
export const print = (text: string): void => {
  writeLines(escapeControls(text))
}

/**
 * Prints the text of a file. It is escaped at a terminal alone: anywhere else, a character that joins letters or
 * emojis is a part of the text, and has to come back when the file is read again.
 */
export const printFile = (text: string): void => {
  writeLines(process.stdout.isTTY ? escapeControls(text) : text)
}

/**
 * Prints a part of a long output. Resolves when more can be written, so that a slow reader does not make memory grow:
 * with false once nobody reads any more.
 */
export const printPart = async (text: string): Promise<boolean> => {
  const { stdout } = process
  // an error is handled where it is endured (src/log/unread-output.ts)
  if (stdout.writable && !stdout.write(escapeControls(text))) await once(stdout, 'drain').catch(() => undefined)
  return stdout.writable
}

/**
 * Prints one line with colours. These are the only escape sequences that reach the terminal; all other text is escaped
 * first.
 */
export const printStyled = (parts: readonly StyledText[]): void => {
  writeLines(parts.map(({ text, style }) => paint(style, escapeInLine(text))).join('  '))
}

export interface StyledText {
  readonly text: string
  readonly style?: 'red' | 'green' | 'yellow' | 'dim'
}

/** Colours only on a terminal, and not with NO_COLOR (https://no-color.org). */
const paint = (style: StyledText['style'], text: string): string =>
  style === undefined ? text : styleText(style, text, { stream: process.stdout })

const writeLines = (text: string): void => {
  process.stdout.write(text.endsWith('\n') ? text : `${text}\n`)
}

/** One line on stderr. */
export const complain = (text: string): void => {
  process.stderr.write(`linkgate: ${escapeInLine(text.replaceAll(/\s*\n\s*/g, ' '))}\n`)
}
