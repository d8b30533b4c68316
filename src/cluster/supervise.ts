import { setTimeout as delay } from 'node:timers/promises'

import type { Logger } from 'pino'

import { describeEnd } from './worker-process.js'
import type { Ready, WorkerProcess } from './worker-process.js'

export interface SupervisorOptions {
  readonly count: number
  readonly fork: () => WorkerProcess
  readonly log: Logger
  /** told of each process that has ended, whatever the reason */
  readonly onEnd?: (worker: WorkerProcess) => void
}

export interface Supervisor {
  /** what the first worker said when it was ready; all of them are */
  readonly ready: Ready
  /** processes that live, those that start or stop included */
  workers(): readonly WorkerProcess[]
  /**
   * Replaces one worker after another, each when its successor is ready. One that comes amid another is done after it.
   */
  restart(): Promise<void>
  /** Ends all workers and keeps them ended. Resolves when none is left. */
  stop(how: { readonly now: boolean }): Promise<void>
}

/** A worker that lived this long is replaced at once; one that did not waits, twice as long each time. */
const LIVED_MS = 10_000
const FIRST_PAUSE_MS = 100
const LONGEST_PAUSE_MS = 5_000
/**
 * In a rolling restart: how long a connection without a request may be used once more, and how long requests may take.
 */
const ROLL_IDLE_MS = 5_000
const ROLL_WITHIN_MS = 60_000
/** After it, a worker that was told to end at once is killed. */
const NOW_WITHIN_MS = 2_000

/** Starts the workers and keeps them running. Rejects with the first one's reason where any of them cannot start. */
export const superviseWorkers = async ({ count, fork, log, onEnd }: SupervisorOptions): Promise<Supervisor> => {
  const living = new Set<WorkerProcess>()
  const stopping = new AbortController()

  const start = (): WorkerProcess => {
    const worker = fork()
    living.add(worker)
    const bury = () => {
      living.delete(worker)
      onEnd?.(worker)
    }
    void worker.ended.then(bury)
    return worker
  }

  /** Keeps one place filled: whenever its worker ends unasked, there is another. */
  const keep = (first: WorkerProcess) => {
    let current = first
    const watch = async (watched: WorkerProcess): Promise<void> => {
      let pause = 0
      for (let worker = watched; ;) {
        const began = performance.now()
        const end = await worker.ended
        if (stopping.signal.aborted || current !== worker) return
        pause =
          performance.now() - began > LIVED_MS ? 0 : Math.min(Math.max(FIRST_PAUSE_MS, pause * 2), LONGEST_PAUSE_MS)
        log.error(
          { worker: worker.id, worker_pid: worker.pid, restart_in_ms: pause },
          `a worker is gone (${describeEnd(end)}); another takes its place`,
        )
        await delay(pause, undefined, { signal: stopping.signal }).catch(() => undefined)
        if (stopping.signal.aborted || current !== worker) return
        worker = current = start()
        void worker.ready.catch((err: unknown) => log.error({ err, worker: worker.id }, 'a worker could not start'))
      }
    }
    void watch(first)
    return {
      /** Rejects where the successor cannot start; the worker that stands there stays then. */
      replace: async () => {
        const successor = start()
        try {
          await successor.ready
        } catch (error) {
          successor.kill()
          throw error
        }
        const old = current
        current = successor
        void watch(successor)
        if (!living.has(old)) return
        old.stop({ now: false, idleMs: ROLL_IDLE_MS })
        const cutOff = setTimeout(() => {
          log.warn({ worker: old.id }, 'a worker that was replaced still had requests in flight; they were cut off')
          old.kill()
        }, ROLL_WITHIN_MS)
        await old.ended
        clearTimeout(cutOff)
      },
    }
  }

  const endAll = async (how: { readonly now: boolean }) => {
    stopping.abort()
    for (const worker of living) worker.stop(how)
    const kill = () => {
      for (const worker of living) worker.kill()
    }
    const late = how.now ? setTimeout(kill, NOW_WITHIN_MS) : undefined
    // one that is still starting hears of it when it listens, and is waited for, too
    while (living.size > 0) await Promise.all([...living].map(({ ended }) => ended))
    clearTimeout(late)
  }

  const first = Array.from({ length: count }, start)
  const [ready] = await Promise.all(first.map((worker) => worker.ready)).catch(async (error: unknown) => {
    for (const worker of living) worker.kill()
    await Promise.all([...living].map(({ ended }) => ended))
    throw error
  })
  if (ready === undefined) throw new RangeError('at least one worker is needed')
  const places = first.map(keep)

  let rolling: Promise<void> = Promise.resolve()
  let waiting = false
  const roll = async () => {
    waiting = false
    for (const place of places) {
      if (stopping.signal.aborted) return
      try {
        await place.replace()
      } catch (err) {
        if (!stopping.signal.aborted) log.error({ err }, 'a new worker could not start; those that run go on')
        return
      }
    }
    log.info({ workers: count }, 'every worker was replaced')
  }

  return {
    ready,
    workers: () => [...living],
    restart: () => {
      if (waiting) return rolling
      waiting = true
      return (rolling = rolling.then(roll))
    },
    stop: endAll,
  }
}
