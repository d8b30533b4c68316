/** Where spans are sent, and on whose behalf. */
export interface TracingOptions {
  /** OTLP over HTTP, as JSON */
  readonly endpoint: string
  readonly serviceName: string
  readonly version: string
  /** told where spans could not be sent; requests never are */
  readonly onFault: (error: unknown) => void
}

export type Attributes = Readonly<Record<string, string | number | boolean | undefined>>

/** A piece of work under way. */
export interface Span {
  readonly traceId: string
  rename(name: string): void
  set(attributes: Attributes): void
  /** marks what went wrong on our side */
  fail(type: string): void
  end(): void
}

export interface SpanOptions {
  readonly kind?: 'internal' | 'server' | 'client'
  readonly attributes?: Attributes
  /** headers of a request that may say whose part this is (W3C Trace Context) */
  readonly caller?: Readonly<Record<string, string | readonly string[] | undefined>>
}

/** What the rest of the program knows of OpenTelemetry. */
export interface Tracer {
  /**
   * Begins a span: a part of the caller's trace where headers name one, else of the span under way, else of nothing.
   */
  start(name: string, options?: SpanOptions): Span
  /** Runs work with the span as the one under way; the span is not ended with it. */
  run<T>(span: Span, work: () => T): T
  /** Runs work in a span of its own, which ends with it, also where it is a promise, and says how it failed. */
  within<T>(name: string, options: SpanOptions, work: (span: Span) => T): T
  /** whether a span is under way: work outside of requests has none */
  active(): boolean
  close(): Promise<void>
}
