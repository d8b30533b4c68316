import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

import { z } from 'zod'

const Attribute = z.object({
  key: z.string(),
  value: z.object({
    stringValue: z.string().optional(),
    intValue: z.union([z.string(), z.number()]).optional(),
    boolValue: z.boolean().optional(),
  }),
})
const Spans = z.object({
  resourceSpans: z.array(
    z.object({
      resource: z.object({ attributes: z.array(Attribute) }),
      scopeSpans: z.array(
        z.object({
          spans: z.array(
            z.object({
              traceId: z.string(),
              spanId: z.string(),
              parentSpanId: z.string().optional(),
              name: z.string(),
              kind: z.number(),
              attributes: z.array(Attribute),
              status: z.object({ code: z.number().optional(), message: z.string().optional() }),
            }),
          ),
        }),
      ),
    }),
  ),
})

/** A span as a collector receives it. */
export interface ReceivedSpan {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId: string | undefined
  readonly name: string
  readonly kind: number
  readonly failed: boolean
  readonly attributes: Readonly<Record<string, string | number | boolean | undefined>>
  readonly service: unknown
}

/** A collector of spans (OTLP over HTTP, JSON) on the loopback. */
export interface Collector {
  readonly endpoint: string
  spans(): readonly ReceivedSpan[]
  /** all that was sent, as text */
  received(): string
  requests(): number
  /** answers with this status from now on */
  answer(status: number): void
  close(): Promise<void>
}

const attributesOf = (list: readonly z.infer<typeof Attribute>[]) =>
  Object.fromEntries(
    list.map(({ key, value }) => [
      key,
      value.stringValue ?? value.boolValue ?? (value.intValue === undefined ? undefined : Number(value.intValue)),
    ]),
  )

/** Opens a collector that answers with this status. */
export const openCollector = async (first = 200): Promise<Collector> => {
  const bodies: string[] = []
  let status = first
  const server = createServer(async (request, response) => {
    bodies.push(await text(request))
    response.writeHead(status, { 'Content-Type': 'application/json' }).end('{}')
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  const address = server.address()
  const isAddress = (given: typeof address): given is AddressInfo => typeof given === 'object' && given !== null
  if (!isAddress(address)) throw new Error('no address')
  return {
    endpoint: `http://127.0.0.1:${address.port}`,
    received: () => bodies.join('\n'),
    requests: () => bodies.length,
    answer: (next) => {
      status = next
    },
    spans: () =>
      bodies.flatMap((body) =>
        Spans.parse(JSON.parse(body)).resourceSpans.flatMap(({ resource, scopeSpans }) =>
          scopeSpans.flatMap(({ spans }) =>
            spans.map((span) => ({
              ...span,
              parentSpanId: span.parentSpanId === '' ? undefined : span.parentSpanId,
              attributes: attributesOf(span.attributes),
              failed: span.status.code === 2,
              service: attributesOf(resource.attributes)['service.name'],
            })),
          ),
        ),
      ),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
