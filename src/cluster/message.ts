import type { ClientConfig } from 'pg'

/**
 * What the primary and its workers say to each other. Limits and metrics are not among it: rate-limiter-flexible and
 * prom-client send messages of their own over the same channel.
 */
export type ToWorker =
  /** `database`: how to log in; the embedded database's password is in no setting and no environment */
  | { readonly kind: 'start'; readonly database: ClientConfig; readonly port: number }
  /** `now` cuts requests off; `idleMs`: how long idle connections are kept, since a request may be on its way */
  | { readonly kind: 'stop'; readonly now: boolean; readonly idleMs: number }
  /** the metrics of all workers; null where they could not be had */
  | { readonly kind: 'metrics'; readonly text: string | null }

export type ToPrimary =
  /** sent every second, and first of all */
  | { readonly kind: 'alive' }
  | ({ readonly kind: 'ready' } & Ready)
  /** the worker cannot start; `expected` where whoever runs the service can mend it (StartError) */
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

// Both ends are of one version, so that the kind says what a message holds. No library's message has one.
export const isToWorker = (message: unknown): message is ToWorker => hasKind(message)
export const isToPrimary = (message: unknown): message is ToPrimary => hasKind(message)
const hasKind = (message: unknown) => typeof message === 'object' && message !== null && 'kind' in message
