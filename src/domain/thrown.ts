/** The code of an error: the system's (ENOENT, EACCES …), a library's or an SQLSTATE. Undefined if it has none. */
export const errorCode = (error: unknown): string | undefined =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined

/** The message of whatever was thrown, or its code: the error of several failed addresses has no message. */
export const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message || (errorCode(error) ?? error.name) : String(error)
