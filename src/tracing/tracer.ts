import { AsyncLocalStorage } from 'node:async_hooks'
import { hostname } from 'node:os'
import { setTimeout as delay } from 'node:timers/promises'

import { ROOT_CONTEXT, SpanStatusCode, trace, type Attributes, type Span, type SpanOptions } from '@opentelemetry/api'
import { ExportResultCode, parseTraceParent } from '@opentelemetry/core'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { defaultResource, resourceFromAttributes } from '@opentelemetry/resources'
import { BasicTracerProvider, BatchSpanProcessor } from '@opentelemetry/sdk-trace-base'

import { sqlState } from '../database/errors.js'
import { Refusal } from '../domain/refusal.js'

export interface TracingOptions {
  /** OTLP over HTTP, as JSON */
  readonly endpoint: string
  readonly serviceName: string
  readonly version: string
  /** called with the reason when spans could not be sent, and with null when they were sent */
  readonly onChange: (fault: unknown) => void
}

/** Timeout for sending, and for a stop that waits for it: a collector that is down must not block anything. */
const SEND_WITHIN_MS = 2_000

/**
 * OpenTelemetry without global registration or patched modules: spans are made only where this program says so.
 * Sampling, batching and headers are up to the SDK's own variables (`OTEL_TRACES_SAMPLER`, `OTEL_BSP_*`,
 * `OTEL_EXPORTER_OTLP_HEADERS`, …).
 */
export const openTracer = ({ endpoint, serviceName, version, onChange }: TracingOptions) => {
  const exporter = new OTLPTraceExporter({ url: endpoint, timeoutMillis: SEND_WITHIN_MS })
  const provider = new BasicTracerProvider({
    resource: defaultResource().merge(
      resourceFromAttributes({
        'service.name': serviceName,
        'service.version': version,
        'service.instance.id': `${hostname()}:${process.pid}`,
      }),
    ),
    spanProcessors: [
      new BatchSpanProcessor({
        // the SDK ignores failures silently
        export: (spans, done) =>
          exporter.export(spans, (result) => {
            const failed = result.code === ExportResultCode.FAILED
            onChange(failed ? (result.error ?? new Error('spans could not be sent')) : null)
            done(result)
          }),
        shutdown: () => exporter.shutdown(),
      }),
    ],
  })
  const tracer = provider.getTracer('linkgate', version)
  const current = new AsyncLocalStorage<Span>()

  return {
    /** Starts a span that continues the caller's trace, if the header names one (W3C Trace Context). */
    startRequest: (traceparent: string, options: SpanOptions): Span => {
      const caller = parseTraceParent(traceparent)
      // ignores the caller's `tracestate`, which is free text
      const parent = caller && trace.setSpanContext(ROOT_CONTEXT, { ...caller, isRemote: true })
      return tracer.startSpan('request', options, parent ?? ROOT_CONTEXT)
    },

    /** Runs work with this span as the current one, and does not end it. */
    run: <T>(span: Span, work: () => T): T => current.run(span, work),

    /** Runs work in a span that ends and fails with it, also if the work is a promise or a stream. */
    within: <T>(name: string, options: SpanOptions, work: (span: Span) => T): T => {
      const parent = current.getStore()
      const span = tracer.startSpan(name, options, parent ? trace.setSpan(ROOT_CONTEXT, parent) : ROOT_CONTEXT)
      const run = <R>(part: () => R): R => current.run(span, part)
      const fail = (error: unknown): never => {
        markFailure(span, error)
        span.end()
        throw error
      }
      let result: T
      try {
        result = run(() => work(span))
      } catch (error) {
        return fail(error)
      }
      if (isStream(result)) return endWithStream(result, { run, end: () => span.end(), fail })
      if (result instanceof Promise) result.then(() => span.end(), fail).catch(() => undefined)
      else span.end()
      return result
    },

    /** False outside of requests: background work is not traced. */
    isActive: () => current.getStore() !== undefined,

    close: async () => {
      const tooLong = new AbortController()
      await Promise.race([
        provider.shutdown().catch(onChange),
        delay(SEND_WITHIN_MS, undefined, { signal: tooLong.signal }).catch(() => undefined),
      ])
      tooLong.abort()
      current.disable()
    },
  }
}

export type Tracer = ReturnType<typeof openTracer>

const isStream = (value: unknown): value is AsyncGenerator =>
  typeof value === 'object' && value !== null && Symbol.asyncIterator in value && 'next' in value

/** Runs each step of a stream in its span, which ends when the stream ends or its reader stops. */
const endWithStream = <T extends AsyncGenerator>(
  stream: T,
  { run, end, fail }: { run: <R>(work: () => R) => R; end: () => void; fail: (error: unknown) => never },
): T => {
  const [next, stop] = [stream.next.bind(stream), stream.return.bind(stream)]
  return Object.assign(stream, {
    next: async () => {
      const step = await run(next).catch(fail)
      if (step.done === true) end()
      return step
    },
    return: async () => run(() => stop(undefined)).finally(end),
  })
}

/** Why a request was refused: layer, stable code, and the decision behind it. */
export const refusalAttributes = ({ layer, code, decision }: Refusal): Attributes => ({
  'linkgate.refusal.layer': layer,
  'linkgate.refusal.code': code,
  ...(decision && { 'linkgate.effect': decision.effect, 'linkgate.rule': decision.rule }),
})

export const setFailed = (span: Span, message: string) => span.setStatus({ code: SpanStatusCode.ERROR, message })

/**
 * A refusal below 500 is an answer, not a failure. Never records an error's message: PostgreSQL's may quote a value.
 */
const markFailure = (span: Span, error: unknown): void => {
  if (error instanceof Refusal) span.setAttributes(refusalAttributes(error))
  if (error instanceof Refusal && error.status < 500) return
  const type =
    error instanceof Refusal ? error.code : (sqlState(error) ?? (error instanceof Error ? error.name : 'unknown'))
  setFailed(span.setAttribute('error.type', type), type)
}
