// eslint-disable-next-line no-control-regex -- control characters are what it looks for
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/

/** Whether a text has no line break, and no other character that a terminal obeys instead of showing it. */
export const isOneLine = (text: string): boolean => !CONTROL.test(text)
