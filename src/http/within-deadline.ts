import { Refusal } from '../domain/refusal.js'

/**
 * The work's result, or `deadline_exceeded` (503) after so many milliseconds; where none are left, at once. A result
 * that comes later reaches nobody but `discard`, which closes what it holds.
 */
export const withinDeadline = <T>(work: Promise<T>, milliseconds: number, discard: (late: T) => void): Promise<T> =>
  new Promise<T>((resolve, reject) => {
    let late = false
    const timer = setTimeout(
      () => {
        late = true
        reject(new Refusal('deadline_exceeded', { headers: { 'Retry-After': '1' } }))
      },
      Math.max(0, milliseconds),
    )
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
