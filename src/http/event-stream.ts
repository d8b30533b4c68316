/**
 * Server-sent events (HTML Living Standard, "Server-sent events"). The headers stop proxies from buffering or caching.
 */
export const EVENT_STREAM = {
  type: 'text/event-stream; charset=utf-8',
  headers: { 'Cache-Control': 'no-store', 'X-Accel-Buffering': 'no' },
} as const

/** One event, with JSON as its data. */
export const eventText = (name: string, data: object): string => `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`
