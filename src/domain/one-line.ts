// eslint-disable-next-line no-control-regex -- control characters are what it looks for
const CONTROL = /[\u0000-\u001f\u007f-\u009f]/

/** Whether a text has no ASCII or C1 control character, such as a line break or the escape that terminals obey. */
export const isOneLine = (text: string): boolean => !CONTROL.test(text)
