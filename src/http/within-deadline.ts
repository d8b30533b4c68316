import { deadlineExceeded, type Deadline } from '../domain/deadline.js'

/** What becomes of work that ends after its deadline. */
interface Late<T> {
  /** closes the result's resources */
  discard(result: T): void
  /** reports the error, which the answer does not show */
  reportFault(error: unknown): void
}

/**
 * Resolves with the work's result, or rejects with `deadline_exceeded` (503) once the deadline has passed, unless a
 * transaction was sent in time: then its outcome is the answer.
 */
export const withinDeadline = <T>(work: Promise<T>, deadline: Deadline, late: Late<T>): Promise<T> =>
  new Promise<T>((resolve, reject) => {
    let isLate = false
    const timer = setTimeout(() => {
      if (deadline.isOutcomeAwaited) return
      isLate = true
      reject(deadlineExceeded())
    }, deadline.left())
    const answer = (result: T) => {
      clearTimeout(timer)
      if (isLate) late.discard(result)
      else resolve(result)
    }
    const fail = (error: unknown) => {
      clearTimeout(timer)
      if (isLate) late.reportFault(error)
      else reject(error)
    }
    work.then(answer, fail)
  })
