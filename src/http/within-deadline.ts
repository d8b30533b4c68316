import { deadlineExceeded } from '../domain/deadline.js'
import type { Deadline } from '../domain/deadline.js'

/**
 * The work's result, or `deadline_exceeded` (503) once the deadline has passed. A result that comes later reaches
 * nobody but `discard`, which closes what it holds.
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
