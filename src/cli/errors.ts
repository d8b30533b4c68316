/** The answer of a command is no, and was printed already: exit code 1. */
export class AnswerIsNo extends Error {}

/** A command line or a setting that makes no sense: exit code 2. */
export class UsageError extends Error {}
