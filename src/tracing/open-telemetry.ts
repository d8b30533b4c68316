import { hostname } from 'node:os'

import { ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api'
import type { Context } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { ExportResultCode, W3CTraceContextPropagator } from '@opentelemetry/core'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { defaultResource, resourceFromAttributes } from '@opentelemetry/resources'
import { BasicTracerProvider, BatchSpanProcessor } from '@opentelemetry/sdk-trace-base'
import type { SpanExporter } from '@opentelemetry/sdk-trace-base'
import { ATTR_SERVICE_NAME, ATTR_SERVICE_VERSION } from '@opentelemetry/semantic-conventions'

import { markFailure } from './failure.js'
import type { Attributes, Span, SpanOptions, Tracer, TracingOptions } from './tracer.js'

const KINDS = { internal: SpanKind.INTERNAL, server: SpanKind.SERVER, client: SpanKind.CLIENT } as const
/**
 * How long spans are tried to be sent, and a stop waits for the last ones: nobody shall wait for a collector that is
 * away.
 */
const SEND_WITHIN_MS = 2_000

/**
 * A tracer of OpenTelemetry's packages. Nothing is registered for the whole process, and no module is patched: spans
 * are made where this program says so. Sampling, batching, headers and time limits are what the SDK's own variables say
 * (`OTEL_TRACES_SAMPLER`, `OTEL_BSP_*`, `OTEL_EXPORTER_OTLP_HEADERS`, …).
 */
export const openTelemetry = ({ endpoint, serviceName, version, onFault }: TracingOptions): Tracer => {
  const contexts = new AsyncLocalStorageContextManager().enable()
  const propagator = new W3CTraceContextPropagator()
  const provider = new BasicTracerProvider({
    resource: defaultResource().merge(
      resourceFromAttributes({
        [ATTR_SERVICE_NAME]: serviceName,
        [ATTR_SERVICE_VERSION]: version,
        'service.instance.id': `${hostname()}:${process.pid}`,
      }),
    ),
    spanProcessors: [
      new BatchSpanProcessor(telling(new OTLPTraceExporter({ url: endpoint, timeoutMillis: SEND_WITHIN_MS }), onFault)),
    ],
  })
  const tracer = provider.getTracer('linkgate', version)
  /** The caller's span, without their `tracestate`: that is free text, which nobody here needs. */
  const parentOf = (headers: NonNullable<SpanOptions['caller']>): Context => {
    const remote = trace.getSpanContext(propagator.extract(ROOT_CONTEXT, headers, HEADERS))
    return remote === undefined
      ? ROOT_CONTEXT
      : trace.setSpanContext(ROOT_CONTEXT, {
          traceId: remote.traceId,
          spanId: remote.spanId,
          traceFlags: remote.traceFlags,
          isRemote: true,
        })
  }
  const contextOf = new WeakMap<Span, Context>()

  const start = (name: string, { kind = 'internal', attributes = {}, caller }: SpanOptions = {}): Span => {
    const parent = caller === undefined ? contexts.active() : parentOf(caller)
    const started = tracer.startSpan(name, { kind: KINDS[kind], attributes }, parent)
    const span: Span = {
      traceId: started.spanContext().traceId,
      rename: (to) => {
        started.updateName(to)
      },
      set: (more: Attributes) => {
        started.setAttributes(more)
      },
      fail: (type) => {
        started.setStatus({ code: SpanStatusCode.ERROR, message: type })
      },
      end: () => started.end(),
    }
    contextOf.set(span, trace.setSpan(parent, started))
    return span
  }
  const run = <T>(span: Span, work: () => T): T => contexts.with(contextOf.get(span) ?? ROOT_CONTEXT, work)
  const within = <T>(name: string, options: SpanOptions, work: (span: Span) => T): T => {
    const span = start(name, options)
    const failed = (error: unknown) => {
      markFailure(span, error)
      span.end()
    }
    let result: T
    try {
      result = run(span, () => work(span))
    } catch (error) {
      failed(error)
      throw error
    }
    if (result instanceof Promise) result.then(() => span.end(), failed)
    else span.end()
    return result
  }
  return {
    start,
    run,
    within,
    active: () => trace.getSpan(contexts.active()) !== undefined,
    close: async () => {
      let late: NodeJS.Timeout | undefined
      const inTime = new Promise<void>((resolve) => {
        late = setTimeout(resolve, SEND_WITHIN_MS)
      })
      await Promise.race([provider.shutdown().catch(onFault), inTime])
      clearTimeout(late)
      contexts.disable()
    },
  }
}

const HEADERS = {
  keys: (headers: NonNullable<SpanOptions['caller']>) => Object.keys(headers),
  get: (headers: NonNullable<SpanOptions['caller']>, name: string) => {
    const value = headers[name]
    return typeof value === 'string' ? value : value?.[0]
  },
}

/** The exporter, with its failures told: the SDK drops them in silence. */
const telling = (exporter: SpanExporter, onFault: (error: unknown) => void): SpanExporter => ({
  export: (spans, done) =>
    exporter.export(spans, (result) => {
      if (result.code === ExportResultCode.FAILED) onFault(result.error ?? new Error('spans could not be sent'))
      done(result)
    }),
  shutdown: () => exporter.shutdown(),
  forceFlush: async () => exporter.forceFlush?.(),
})
