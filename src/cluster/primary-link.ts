import type { CountTogether, QuotaName } from '../layers/1-gateway/rate-limit.js'
import type { Count } from '../layers/1-gateway/rate-limit-store.js'
import { parseToWorker } from './message.js'
import type { Measurements, ToPrimary, ToWorker } from './message.js'

/** The part of `process` that a worker talks through. */
export interface Channel {
  readonly connected: boolean
  send?(message: ToPrimary, handle: undefined, options: undefined, done: (error: Error | null) => void): boolean
  on(event: 'message', listener: (message: unknown) => void): unknown
}

/** A worker's line to its primary. */
export interface PrimaryLink {
  /** Resolves when the message is on its way, or never can be. */
  readonly send: (message: ToPrimary) => Promise<void>
  /** The last word: what this process counted. */
  readonly sayFarewell: () => Promise<void>
  /** Counts for all workers; rejects where the primary does not answer within 100 ms. */
  readonly count: CountTogether
  /** The metrics of all workers; rejects where the primary does not answer. */
  readonly metrics: () => Promise<string>
  /** told to start, once; to stop, possibly twice, the second time at once, and possibly before it listens */
  readonly onStart: (listener: (message: Extract<ToWorker, { kind: 'start' }>) => void) => void
  readonly onStop: (listener: (message: Extract<ToWorker, { kind: 'stop' }>) => void) => void
  /** what this process counted, for whoever asks any of the workers */
  readonly onMeasure: (measure: () => Promise<Measurements>) => void
}

const COUNT_WITHIN_MS = 100
const METRICS_WITHIN_MS = 3_000
const BEAT_MS = 1_000

interface Waiting {
  readonly quota: QuotaName
  readonly bucket: string
  readonly resolve: (count: Count) => void
  readonly reject: (error: Error) => void
}

/** Opens the line: says hello, and gives a sign of life every second. */
export const openPrimaryLink = (channel: Channel): PrimaryLink => {
  let nextId = 0
  let batch: Waiting[] = []
  const counting = new Map<number, readonly Waiting[]>()
  const gathering = new Map<number, (text: string | null) => void>()
  let start: (message: Extract<ToWorker, { kind: 'start' }>) => void = () => undefined
  // what is said before anybody listens is kept: a worker that is still starting would serve on, and its primary wait
  let saidStop: Extract<ToWorker, { kind: 'stop' }> | undefined
  let stop: (message: Extract<ToWorker, { kind: 'stop' }>) => void = (message) => {
    saidStop = message
  }
  let measure: () => Promise<Measurements> = async () => []

  const send = (message: ToPrimary) =>
    new Promise<void>((resolve) => {
      // a primary that is gone is noticed by the end of the channel
      if (channel.connected && channel.send) channel.send(message, undefined, undefined, () => resolve())
      else resolve()
    })
  const giveUp = (id: number) => {
    for (const { reject } of counting.get(id) ?? []) reject(new Error('the primary does not answer'))
    counting.delete(id)
  }
  /** What came in one turn of the event loop goes out as one message. */
  const flush = () => {
    const id = nextId++
    const asked = batch
    batch = []
    counting.set(id, asked)
    if (!channel.connected) return giveUp(id)
    void send({ kind: 'count', id, asks: asked.map(({ quota, bucket }) => [quota, bucket]) })
    setTimeout(giveUp, COUNT_WITHIN_MS, id).unref()
  }

  channel.on('message', (raw) => {
    const message = parseToWorker(raw)
    switch (message?.kind) {
      case 'start':
        return start(message)
      case 'stop':
        return stop(message)
      case 'measure':
        return void measure().then(
          (measurements) => send({ kind: 'measured', id: message.id, measurements: [...measurements] }),
          () => undefined,
        )
      case 'metrics':
        return gathering.get(message.id)?.(message.text)
      case 'counted': {
        const asked = counting.get(message.id) ?? []
        counting.delete(message.id)
        for (const [index, { resolve, reject }] of asked.entries()) {
          const count = message.counts[index]
          if (count) resolve(count)
          else reject(new Error('the primary left a question open'))
        }
      }
    }
  })
  setInterval(() => void send({ kind: 'alive' }), BEAT_MS).unref()

  return {
    send,
    count: (quota, bucket) =>
      new Promise((resolve, reject) => {
        if (batch.push({ quota, bucket, resolve, reject }) === 1) setImmediate(flush)
      }),
    sayFarewell: async () => send({ kind: 'farewell', measurements: [...(await measure())] }),
    metrics: () =>
      new Promise((resolve, reject) => {
        const id = nextId++
        const done = (text: string | null) => {
          clearTimeout(late)
          gathering.delete(id)
          if (text === null) reject(new Error('the primary did not answer with the metrics of all workers'))
          else resolve(text)
        }
        const late = setTimeout(done, METRICS_WITHIN_MS, null)
        gathering.set(id, done)
        void send({ kind: 'metrics', id })
      }),
    onStart: (listener) => {
      start = listener
      void send({ kind: 'hello' })
    },
    onStop: (listener) => {
      stop = listener
      if (saidStop) listener(saidStop)
    },
    onMeasure: (answer) => {
      measure = answer
    },
  }
}
