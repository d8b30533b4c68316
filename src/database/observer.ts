export type QueryKind = 'run' | 'flush' | 'transaction' | 'stream'

/** Is notified of queries. Durations are seconds, without the wait for a connection. */
export interface DatabaseObserver {
  readonly acquired: (seconds: number) => void
  readonly acquireFailed: () => void
  readonly queried: (kind: QueryKind, seconds: number) => void
  readonly lost: () => void
}
