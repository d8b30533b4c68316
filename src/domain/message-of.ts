import { errorCode } from './error-code.js'

/** The message of whatever was thrown, or its code: the error of several failed addresses has no message. */
export const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message || (errorCode(error) ?? error.name) : String(error)
