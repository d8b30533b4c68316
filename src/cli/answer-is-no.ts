/** Thrown by a command whose answer is no (exit code 1): the reason is already told. */
export class AnswerIsNo extends Error {}
