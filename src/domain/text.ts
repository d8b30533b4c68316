// eslint-disable-next-line no-control-regex -- control characters are what it looks for
const CONTROL = /[\u0000-\u001f\u007f-\u009f]/

/** True if a text has no ASCII or C1 control character, such as a line break or a terminal's escape. */
export const isOneLine = (text: string): boolean => !CONTROL.test(text)

const UNSTORABLE = /[\0\p{Cs}]/u

/** Whether PostgreSQL can store a text: JSON can carry U+0000 and half a surrogate pair, a UTF-8 database cannot. */
export const isStorable = (text: string): boolean => !UNSTORABLE.test(text)
