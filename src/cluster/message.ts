import type { ClientConfig } from 'pg'

/**
 * The messages between the primary and its workers. Limits and metrics are not among them: rate-limiter-flexible and
 * prom-client send their own messages over the same channel.
 */
export type ToWorker =
  /** `database`: the login; the embedded database's password is in no setting and no environment variable */
  | { readonly kind: 'start'; readonly database: ClientConfig; readonly port: number }
  /** `now` cuts requests off; `idleMs`: how long idle connections are kept, because a request may be on its way */
  | { readonly kind: 'stop'; readonly now: boolean; readonly idleMs: number }
  /** the metrics of all workers; null if they could not be collected */
  | { readonly kind: 'metrics'; readonly text: string | null }

export type ToPrimary =
  /** sent every second, and as the first message */
  | { readonly kind: 'alive' }
  | ({ readonly kind: 'ready' } & Ready)
  /** the worker cannot start; `expected` if the operator can fix it (StartError) */
  | { readonly kind: 'failed'; readonly message: string; readonly expected: boolean }
  /** asks for the metrics of all workers */
  | { readonly kind: 'metrics' }

/** Where a worker listens, and under which policy revision. */
export interface Ready {
  readonly url: string
  readonly metricsUrl: string | undefined
  readonly port: number
  readonly revision: number | null
}

export type Start = Extract<ToWorker, { kind: 'start' }>

// Both ends run the same version, so `kind` determines the type. No library's message has a `kind`.
export const isToWorker = (message: unknown): message is ToWorker => hasKind(message)
export const isToPrimary = (message: unknown): message is ToPrimary => hasKind(message)
const hasKind = (message: unknown) => typeof message === 'object' && message !== null && 'kind' in message
