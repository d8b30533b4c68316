export type QuestionKind = 'run' | 'flush' | 'transaction' | 'stream'

/**
 * What is told of the questions to the database; durations are seconds: with the connection in hand, or of a change
 * with all that it waited for.
 */
export interface DatabaseObserver {
  readonly acquired: (seconds: number) => void
  readonly acquireFailed: () => void
  readonly asked: (kind: QuestionKind, seconds: number) => void
  readonly lost: () => void
}
