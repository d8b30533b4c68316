import type { Database } from '../database/database.js'
import { onceAtATime } from '../domain/once.js'

/** Work that no request waits for. It may run twice, and may be interrupted anywhere. */
export interface Job {
  /** its name in metrics and in the table of runs */
  readonly name: string
  /** runs once in this time, across all processes */
  readonly everySeconds: number
  /**
   * Resolves with the number of processed records. Once `isOver`, it starts no further statement: the process stops, or
   * the job is due again, and the others have not had their turn.
   */
  readonly run: (isOver: () => boolean) => Promise<number>
}

/** Observes background work. */
export interface JobObserver {
  ran(job: string, records: number, seconds: number): void
  failed(job: string): void
}

interface JobsOptions {
  readonly database: Pick<Database, 'run'>
  readonly jobs: readonly Job[]
  readonly observer: JobObserver
  /** called with each fault of this job, which runs again when it is due, and with null when it was done */
  readonly reporterOf: (job: string) => (fault: unknown) => void
  /** how often this process checks for due jobs */
  readonly everyMs?: number
}

/**
 * Runs background work, one job after another. Each job runs in one process at a time: the one that claims the run in
 * the database (migrations/functions/jobs.sql, docs/decisions/0025).
 */
export const runJobs = ({ database, jobs, observer, reporterOf, everyMs = 60_000 }: JobsOptions) => {
  let stopping = false
  const reported = jobs.map((job) => ({ ...job, report: reporterOf(job.name) }))
  const runDue = async ({ name, everySeconds, run, report }: (typeof reported)[number]): Promise<void> => {
    const startedAt = performance.now()
    const isOver = () => stopping || performance.now() - startedAt >= everySeconds * 1_000
    try {
      const [claim] = await database.run<{ claimed: boolean }>({
        text: 'select claim_job($1, $2) as claimed',
        values: [name, everySeconds],
      })
      if (claim?.claimed !== true) return
      observer.ran(name, await run(isOver), (performance.now() - startedAt) / 1_000)
      report(null)
    } catch (error) {
      observer.failed(name)
      report(error)
    }
  }
  const look = onceAtATime(async () => {
    for (const job of reported) if (!stopping) await runDue(job)
  })
  let working = look()
  const timer = setInterval(() => {
    working = look()
  }, everyMs)
  timer.unref()
  return {
    /** Resolves when the running statement has ended. */
    stop: async (): Promise<void> => {
      stopping = true
      clearInterval(timer)
      await working
    },
  }
}
