/** The system's name of an error (ENOENT, EACCES …) or a SQLSTATE; undefined where the error carries none. */
export const errorCode = (error: unknown): string | undefined =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined

/** Resolves to `otherwise` where the work fails because a file or folder is not there. Every other error passes. */
export const unlessMissing = async <T, U>(work: Promise<T>, otherwise: U): Promise<T | U> => {
  try {
    return await work
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return otherwise
    throw error
  }
}
