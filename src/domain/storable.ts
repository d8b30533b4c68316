const UNSTORABLE = /[\0\p{Cs}]/u

/** Whether PostgreSQL can store a text: JSON can carry U+0000 and half a surrogate pair, a UTF-8 database cannot. */
export const isStorable = (text: string): boolean => !UNSTORABLE.test(text)
