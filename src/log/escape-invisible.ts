/**
 * Characters that a terminal, an editor or a log viewer obeys instead of showing, and JSON does not escape: DEL and the
 * C1 controls, line and paragraph separators, zero-width and bidirectional marks, interlinear marks, tags.
 */
// eslint-disable-next-line no-control-regex, no-misleading-character-class -- they are what is looked for
const INVISIBLE =
  /[\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|\udb40[\udc00-\udc7f]/g

/** True for ASCII without DEL: most lines, told in a quarter of the time. */
const isPlain = (text: string): boolean => Buffer.byteLength(text) === text.length && !text.includes('\u007f')

/** A line of JSON with such characters as `\uXXXX`: the same JSON, since they can only stand inside its strings. */
export const escapeInvisible = (line: string): string =>
  isPlain(line) ? line : line.replace(INVISIBLE, (found) => found.split('').map(escapeUnit).join(''))

// eslint-disable-next-line no-control-regex -- they are what is looked for
const CONTROL = /[\u0000-\u001f]/g
// eslint-disable-next-line no-control-regex -- they are what is looked for
const CONTROL_BUT_LINES = /[\u0000-\u0008\u000b-\u001f]/g

/** A text for a terminal: whatever a terminal would obey as `\uXXXX`, but the ends of lines and tabs. */
export const escapeControls = (text: string): string => escapeInvisible(text.replace(CONTROL_BUT_LINES, escapeUnit))

/** As `escapeControls`, for a part of one line: ends of lines and tabs as well, so that no text can fake a line. */
export const escapeInLine = (text: string): string => escapeInvisible(text.replace(CONTROL, escapeUnit))

const escapeUnit = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
