import { deadlineExceeded } from '../domain/deadline.js'
import type { Deadline } from '../domain/deadline.js'

/**
 * Resolves with the work's result, or rejects with `deadline_exceeded` (503) once the deadline has passed. A late
 * result goes to `discard`, which closes its resources.
 */
export const withinDeadline = <T>(work: Promise<T>, deadline: Deadline, discard: (late: T) => void): Promise<T> =>
  new Promise<T>((resolve, reject) => {
    let late = false
    const timer = setTimeout(() => {
      late = true
      reject(deadlineExceeded())
    }, deadline.left())
    const answer = (result: T) => {
      clearTimeout(timer)
      if (late) discard(result)
      else resolve(result)
    }
    const fail = (error: unknown) => {
      clearTimeout(timer)
      reject(error)
    }
    work.then(answer, fail)
  })
