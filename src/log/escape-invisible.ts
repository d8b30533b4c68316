/**
 * Characters that terminals, editors and log viewers interpret instead of showing, and that JSON does not escape: DEL
 * and the C1 controls, line and paragraph separators, zero-width and bidirectional marks, interlinear marks, tags.
 */
// eslint-disable-next-line no-control-regex, no-misleading-character-class -- they are what is looked for
const INVISIBLE =
  /[\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|\udb40[\udc00-\udc7f]/g

/** True for ASCII without DEL. Most lines are, and this takes a quarter of the regular expression's time. */
const isPlain = (text: string): boolean => Buffer.byteLength(text) === text.length && !text.includes('\u007f')

/** Escapes these characters in a line of JSON as `\uXXXX`. They only occur inside strings, so the value is the same. */
export const escapeInvisible = (line: string): string =>
  isPlain(line) ? line : line.replace(INVISIBLE, (found) => found.split('').map(escapeUnit).join(''))

// eslint-disable-next-line no-control-regex -- they are what is looked for
const CONTROL = /[\u0000-\u001f]/g
// eslint-disable-next-line no-control-regex -- they are what is looked for
const CONTROL_BUT_LINES = /[\u0000-\u0008\u000b-\u001f]/g

/** Makes text safe for a terminal: escapes all characters that it would interpret, except line breaks and tabs. */
export const escapeControls = (text: string): string => escapeInvisible(text.replace(CONTROL_BUT_LINES, escapeUnit))

/** Like `escapeControls`, but also escapes line breaks and tabs, so that no text can fake a line. */
export const escapeInLine = (text: string): string => escapeInvisible(text.replace(CONTROL, escapeUnit))

const escapeUnit = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
