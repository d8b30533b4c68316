import { AsyncResource } from 'node:async_hooks'
import { Readable } from 'node:stream'

import { CallerChanged } from '../database/errors.js'
import { Refusal } from '../domain/refusal.js'
import { eventText } from './event-stream.js'

/** Notifies listeners by server-sent events (HTML Living Standard, "Server-sent events"). */
export interface Live {
  /**
   * A stream of events about one topic: one immediately, then one after each announcement, at most one per `everyMs`.
   * `read` returns an event's data. The stream ends if it throws a refusal: the listener lost the right to it, or the
   * database is away, which is logged once and not for each stream. Whoever reconnects is told. It breaks off if it
   * throws anything else. Throws `too_many_listeners` (503).
   */
  listen(listener: Listener): Readable
  /** Announces changed topics: their names, separated by commas, or `*`. */
  announced(news: string): void
  /** The number of open streams. */
  count(): number
  /** Ends all streams and accepts no more. Their readers may reconnect to another process. */
  endAll(): void
}

interface Listener {
  readonly topic: string
  /** the name of its events */
  readonly event: string
  /** the user whose limit this listener counts against */
  readonly user: string
  /** events after which the stream ends */
  readonly limit: number
  readonly read: () => Promise<object>
}

interface LiveOptions {
  /** the time of a tick: the minimum between two events of a stream */
  readonly everyMs?: number
  /** called at each tick, while there are listeners */
  readonly onTick?: () => void
}

export const EVERY_TOPIC = '*'

/** The most listeners of this process, and of one user. */
const MOST = 200
const MOST_OF_USER = 10

/** After so many ticks, even a quiet stream sends an event. That is its heartbeat, and `read` re-checks the rights. */
const QUIET_TICKS = 15
/** After so many ticks a stream ends, and its listener has to reconnect with a token that is still valid. */
const MOST_TICKS = 600

interface Open extends Listener {
  readonly stream: Readable
  ticks: number
  /** less than a tick has passed since its first event */
  isEarly: boolean
  events: number
  isDue: boolean
  isReading: boolean
}

/**
 * The listeners of one process: at most 200, and 10 per user. One timer ticks every `everyMs` while there are any. A
 * quiet stream sends an event every 15 ticks, and each stream ends after 600.
 */
export const createLive = ({ everyMs = 1_000, onTick }: LiveOptions = {}): Live => {
  const open = new Set<Open>()
  let timer: NodeJS.Timeout | undefined
  let ended = false

  const close = (listener: Open): void => {
    open.delete(listener)
    listener.stream.push(null)
    if (open.size === 0) {
      clearInterval(timer)
      timer = undefined
    }
  }

  const send = async (listener: Open): Promise<void> => {
    listener.isReading = true
    listener.isDue = false
    try {
      const event = eventText(listener.event, await listener.read())
      if (open.has(listener)) listener.stream.push(event)
      listener.events += 1
      if (listener.events >= listener.limit) close(listener)
    } catch (error) {
      if (error instanceof Refusal || error instanceof CallerChanged) close(listener)
      // a fault of the service: logged like every response that breaks off
      else listener.stream.destroy(new Error('an event could not be read', { cause: error }))
    }
    listener.isReading = false
  }

  const tick = (): void => {
    onTick?.()
    for (const listener of open) {
      listener.ticks += 1
      if (listener.ticks > MOST_TICKS || listener.stream.destroyed) close(listener)
      // a slow reader skips events, and gets the newest one later
      else if (listener.isEarly) listener.isEarly = false
      else if (listener.isReading || listener.stream.readableLength > 0) continue
      else if (listener.isDue || listener.ticks % QUIET_TICKS === 0) void send(listener)
    }
  }

  return {
    listen: (wanted) => {
      const ofUser = [...open].filter(({ user }) => user === wanted.user).length
      if (ended || open.size >= MOST || ofUser >= MOST_OF_USER)
        throw new Refusal('too_many_listeners', { headers: { 'Retry-After': '10' } })
      const stream = new Readable({ read: () => undefined })
      // the first listener starts the timer, others come in between its ticks
      const isEarly = timer !== undefined
      // otherwise each read would be traced in the request that started the timer
      const read = AsyncResource.bind(wanted.read)
      const listener: Open = { ...wanted, read, stream, ticks: 0, isEarly, events: 0, isDue: false, isReading: false }
      open.add(listener)
      stream.on('close', () => {
        if (open.has(listener)) close(listener)
      })
      stream.push('retry: 2000\n\n')
      timer ??= setInterval(tick, everyMs).unref()
      void send(listener)
      return stream
    },
    announced: (news) => {
      if (open.size === 0) return
      const topics = new Set(news.split(','))
      for (const listener of open) {
        if (topics.has(listener.topic) || news === EVERY_TOPIC) listener.isDue = true
      }
    },
    count: () => open.size,
    endAll: () => {
      ended = true
      for (const listener of open) close(listener)
    },
  }
}
