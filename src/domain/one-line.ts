// eslint-disable-next-line no-control-regex -- control characters are what it looks for
const CONTROL = /[\u0000-\u001f\u007f-\u009f]/

/** True if a text has no ASCII or C1 control character, such as a line break or a terminal's escape. */
export const isOneLine = (text: string): boolean => !CONTROL.test(text)
