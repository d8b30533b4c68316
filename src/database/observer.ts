export type QuestionKind = 'run' | 'flush' | 'transaction' | 'stream'

/** Told of the queries that are sent; durations are seconds, without the wait for a connection. */
export interface DatabaseObserver {
  readonly acquired: (seconds: number) => void
  readonly acquireFailed: () => void
  readonly asked: (kind: QuestionKind, seconds: number) => void
  readonly lost: () => void
}
