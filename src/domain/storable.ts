const UNSTORABLE = /[\0\p{Cs}]/u

/** Whether PostgreSQL can hold a text: JSON can carry U+0000 and half a surrogate pair, a database in UTF-8 cannot. */
export const isStorable = (text: string): boolean => !UNSTORABLE.test(text)
