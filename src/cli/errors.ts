/** The answer of a command is no, and is already printed: exit code 1. */
export class AnswerIsNo extends Error {}

/** An invalid command line or setting: exit code 2. */
export class UsageError extends Error {}
