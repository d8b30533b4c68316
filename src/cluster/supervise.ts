import { setTimeout as delay } from 'node:timers/promises'

import type { Logger } from 'pino'

import type { Ready } from './message.js'
import { describeEnd, unstartedWorker, type WorkerProcess } from './worker-process.js'

interface SupervisorOptions {
  readonly count: number
  readonly fork: () => WorkerProcess
  readonly log: Logger
}

export interface Supervisor {
  /** the first worker's `ready` message; by then all workers are ready */
  readonly ready: Ready
  /** Replaces one worker after another, each when its successor is ready. A call during a restart queues one more. */
  restart(): Promise<void>
  /** Ends all workers for good. Resolves when none is left. */
  stop(how: { readonly now: boolean }): Promise<void>
}

/** A worker that ran this long is replaced at once. Otherwise the replacement is delayed, twice as long each time. */
const STABLE_AFTER_MS = 10_000
const FIRST_PAUSE_MS = 100
const MAX_PAUSE_MS = 5_000
/** In a rolling restart: how long idle connections wait for another request, and how long requests may take. */
const ROLL_IDLE_MS = 5_000
const ROLL_TIMEOUT_MS = 60_000
/** When a worker that was told to end at once is killed. */
const STOP_NOW_TIMEOUT_MS = 2_000

/** Starts the workers and keeps them running. Rejects with the first failure if any of them cannot start. */
export const superviseWorkers = async ({ count, fork, log }: SupervisorOptions): Promise<Supervisor> => {
  const living = new Set<WorkerProcess>()
  /** the current worker of each slot; the one it replaced may still be finishing requests */
  const places: WorkerProcess[] = []
  const stopping = new AbortController()

  const tryFork = (): WorkerProcess => {
    try {
      return fork()
    } catch (error) {
      return unstartedWorker(error instanceof Error ? error : new Error(String(error)))
    }
  }
  const start = (): WorkerProcess => {
    const worker = tryFork()
    living.add(worker)
    void worker.ended.then(() => living.delete(worker))
    return worker
  }
  const allEnded = () => Promise.all([...living].map(({ ended }) => ended))
  const killAll = () => {
    for (const worker of living) worker.kill()
  }

  /** Assigns a worker to a slot, and a new one whenever it ends unexpectedly. */
  const place = async (index: number, worker: WorkerProcess, lastPause = 0): Promise<void> => {
    places[index] = worker
    const placedAt = performance.now()
    const isOver = () => stopping.signal.aborted || places[index] !== worker
    const end = await worker.ended
    if (isOver()) return
    const isStable = performance.now() - placedAt > STABLE_AFTER_MS
    const pause = isStable ? 0 : Math.min(Math.max(FIRST_PAUSE_MS, lastPause * 2), MAX_PAUSE_MS)
    log.error(
      { worker: worker.id, worker_pid: worker.pid, restart_in_ms: pause },
      `a worker is gone (${describeEnd(end)}); another takes its place`,
    )
    await delay(pause, undefined, { signal: stopping.signal }).catch(() => undefined)
    if (isOver()) return
    const next = start()
    next.ready.catch((err: unknown) => log.error({ err, worker: next.id }, 'a worker could not start'))
    void place(index, next, pause)
  }

  /** Rejects if the successor cannot start; the old worker stays then. */
  const replace = async (index: number): Promise<void> => {
    const successor = start()
    try {
      await successor.ready
    } catch (error) {
      successor.kill()
      throw error
    }
    const old = places[index]
    void place(index, successor)
    if (old === undefined || !living.has(old)) return
    old.stop({ now: false, idleMs: ROLL_IDLE_MS })
    const timeout = setTimeout(() => {
      log.warn({ worker: old.id }, 'a replaced worker still had requests in flight; they were cut off')
      old.kill()
    }, ROLL_TIMEOUT_MS)
    await old.ended
    clearTimeout(timeout)
  }

  const replaceAll = async () => {
    restartIsQueued = false
    for (const index of places.keys()) {
      if (stopping.signal.aborted) return
      try {
        await replace(index)
      } catch (err) {
        if (!stopping.signal.aborted) log.error({ err }, 'a new worker could not start; the running ones stay')
        return
      }
    }
    log.info({ workers: count }, 'every worker was replaced')
  }
  let restarting: Promise<void> = Promise.resolve()
  let restartIsQueued = false

  const first = Array.from({ length: count }, start)
  const [ready] = await Promise.all(first.map((worker) => worker.ready)).catch(async (error: unknown) => {
    killAll()
    await allEnded()
    throw error
  })
  if (ready === undefined) throw new RangeError('at least one worker is needed')
  for (const [index, worker] of first.entries()) void place(index, worker)

  return {
    ready,
    restart: () => {
      if (!restartIsQueued) restarting = restarting.then(replaceAll)
      restartIsQueued = true
      return restarting
    },
    stop: async (how) => {
      stopping.abort()
      for (const worker of living) worker.stop(how)
      const timeout = how.now ? setTimeout(killAll, STOP_NOW_TIMEOUT_MS) : undefined
      // A successor that is still starting stops once it has started.
      while (living.size > 0) await allEnded()
      clearTimeout(timeout)
    },
  }
}
