import type { Worker } from 'node:cluster'

import { StartError } from '../domain/start-error.js'
import { parseToPrimary } from './message.js'
import type { Measurements, ToPrimary, ToWorker } from './message.js'

/** How a worker's process ended. */
export interface End {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly hung: boolean
}

/** Where a worker listens, and under which policy. */
export type Ready = Omit<Extract<ToPrimary, { kind: 'ready' }>, 'kind'>

/** One worker as the primary sees it. */
export interface WorkerProcess {
  readonly id: number
  readonly pid: number | undefined
  /** where it listens; rejects where it ends before it does, with StartError where somebody can mend that */
  readonly ready: Promise<Ready>
  readonly ended: Promise<End>
  /**
   * Finishes the requests in flight and ends; those connections that nobody uses are kept for `idleMs`. `now` cuts them
   * off.
   */
  stop(how: { readonly now: boolean; readonly idleMs?: number }): void
  kill(): void
  /** What it counted so far; what it said last where it does not answer within a second. */
  measure(): Promise<Measurements>
  /** what it said last of what it counted */
  lastMeasured(): Measurements
}

export interface WorkerProcessOptions {
  readonly worker: Worker
  readonly start: Omit<Extract<ToWorker, { kind: 'start' }>, 'kind'>
  /** what a worker asks for while it serves */
  readonly onQuestion: (
    question: Extract<ToPrimary, { kind: 'count' | 'metrics' }>,
    answer: (message: ToWorker) => void,
  ) => void
  /** how often a sign of life is looked for, in milliseconds; the fifth time without one is the end */
  readonly beatMs?: number
}

const BEATS_MISSED = 5
const MEASURE_WITHIN_MS = 1_000
const START_WITHIN_MS = 60_000

/**
 * Follows a process that was forked: starts it when it hears, knows when it is ready, and kills it when its event loop
 * has stood still for five beats. Beats are counted, not seconds: after a suspension of the whole machine none was
 * missed.
 */
export const followWorker = ({ worker, start, onQuestion, beatMs = 2_000 }: WorkerProcessOptions): WorkerProcess => {
  let heard = false
  let missed = 0
  let hung = false
  let last: Measurements = []
  let nextId = 0
  const measuring = new Map<number, (measured: Measurements) => void>()
  // a worker that is gone is told nothing; that it is gone is heard by its end
  const send = (message: ToWorker) => {
    if (worker.isConnected()) worker.send(message, () => undefined)
  }

  const beat = setInterval(() => {
    missed = heard ? 0 : missed + 1
    heard = false
    if (missed < BEATS_MISSED) return
    hung = true
    worker.process.kill('SIGKILL')
  }, beatMs)

  const ended = new Promise<End>((resolve) => {
    worker.once('exit', () => {
      clearInterval(beat)
      for (const done of measuring.values()) done(last)
      resolve({ code: worker.process.exitCode, signal: worker.process.signalCode, hung })
    })
  })

  const ready = new Promise<Ready>((resolve, reject) => {
    const hear: { readonly [Kind in ToPrimary['kind']]: (message: Extract<ToPrimary, { kind: Kind }>) => void } = {
      hello: () => send({ kind: 'start', ...start }),
      ready: resolve,
      failed: ({ message, expected }) => reject(expected ? new StartError(message) : new Error(message)),
      alive: () => undefined,
      count: (question) => onQuestion(question, send),
      metrics: (question) => onQuestion(question, send),
      measured: ({ id, measurements }) => {
        last = measurements
        measuring.get(id)?.(measurements)
      },
      farewell: ({ measurements }) => {
        last = measurements
      },
    }
    const dispatch = <Kind extends ToPrimary['kind']>(message: Extract<ToPrimary, { kind: Kind }>, kind: Kind) =>
      hear[kind](message)
    worker.on('message', (raw: unknown) => {
      heard = true
      const message = parseToPrimary(raw)
      if (message) dispatch(message, message.kind)
    })
    // an error of the channel is followed by the end of the process, or by its silence
    worker.on('error', () => undefined)
    void ended.then((end) => reject(new StartError(`a worker ended before it listened (${describeEnd(end)})`)))
  })
  const lateStart = setTimeout(() => {
    worker.process.kill('SIGKILL')
  }, START_WITHIN_MS)
  ready
    .catch(() => undefined)
    .finally(() => {
      clearTimeout(lateStart)
    })

  return {
    id: worker.id,
    pid: worker.process.pid,
    ready,
    ended,
    stop: ({ now, idleMs = 0 }) => send({ kind: 'stop', now, idleMs }),
    kill: () => {
      worker.process.kill('SIGKILL')
    },
    measure: () =>
      new Promise((resolve) => {
        const id = nextId++
        const late = setTimeout(() => measuring.get(id)?.(last), MEASURE_WITHIN_MS)
        measuring.set(id, (measured) => {
          clearTimeout(late)
          measuring.delete(id)
          resolve(measured)
        })
        if (worker.isConnected()) send({ kind: 'measure', id })
        else measuring.get(id)?.(last)
      }),
    lastMeasured: () => last,
  }
}

/** An end in a few words for a person. */
export const describeEnd = ({ code, signal, hung }: End): string =>
  hung ? 'it did not answer any more and was killed' : signal === null ? `exit code ${code}` : `signal ${signal}`
