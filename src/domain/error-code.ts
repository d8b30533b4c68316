/** The system's code of an error (ENOENT, EACCES …), a library's or a SQLSTATE; undefined where it carries none. */
export const errorCode = (error: unknown): string | undefined =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined
