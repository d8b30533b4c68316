import type { Database } from '../database/database.js'

/** Work that no request waits for. It may run twice, and be cut off anywhere. */
export interface Job {
  /** as metrics and the table of runs have it */
  readonly name: string
  /** once in this time, over all processes */
  readonly everySeconds: number
  /** Answers how many records it dealt with. Once `isStopping`, it begins no further statement. */
  readonly run: (isStopping: () => boolean) => Promise<number>
}

/** Told of background work. */
export interface JobObserver {
  ran(job: string, records: number, seconds: number): void
  failed(job: string): void
}

interface JobsOptions {
  readonly database: Pick<Database, 'run'>
  readonly jobs: readonly Job[]
  readonly observer: JobObserver
  /** called where a job failed; it runs again when it is due */
  readonly onFault: (job: string, error: unknown) => void
  /** how often this process looks whether one is due */
  readonly everyMs?: number
}

/**
 * Runs background work, one job after another, each in one process at a time: whoever claims a run in the database has
 * it (migrations/functions/jobs.sql, docs/decisions/0025).
 */
export const runJobs = ({ database, jobs, observer, onFault, everyMs = 60_000 }: JobsOptions) => {
  let stopping = false
  const runDue = async ({ name, everySeconds, run }: Job): Promise<void> => {
    const startedAt = performance.now()
    try {
      const [claim] = await database.run<{ claimed: boolean }>({
        text: 'select claim_job($1, $2) as claimed',
        values: [name, everySeconds],
      })
      if (claim?.claimed !== true) return
      observer.ran(name, await run(() => stopping), (performance.now() - startedAt) / 1_000)
    } catch (error) {
      observer.failed(name)
      onFault(name, error)
    }
  }
  const look = async (): Promise<void> => {
    for (const job of jobs) if (!stopping) await runDue(job)
  }
  let working = look()
  const timer = setInterval(() => {
    working = working.then(look)
  }, everyMs)
  timer.unref()
  return {
    /** Resolves when the statement that is running has ended. */
    stop: async (): Promise<void> => {
      stopping = true
      clearInterval(timer)
      await working
    },
  }
}
