/**
 * The form of a request id, a caller's own or ours: visible ASCII. AuthZEN returns every caller's id unchanged, and the
 * header, the problem, the log and the decision record of a request have the same one, so the form is this wide
 * everywhere. Without spaces and line breaks, no id looks like a further header, field or line.
 */
export const REQUEST_ID = /^[\x21-\x7e]{1,200}$/

/** The number in REQUEST_ID, for descriptions. */
export const LONGEST_REQUEST_ID = 200
