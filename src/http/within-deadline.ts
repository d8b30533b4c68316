import { Refusal } from '../domain/refusal.js'

/**
 * The work's result, or `deadline_exceeded` (503) after so many milliseconds. A result that comes later reaches nobody but
 * `discard`, which closes what it holds.
 */
export const withinDeadline = async <T>(work: Promise<T>, milliseconds: number, discard: (late: T) => void): Promise<T> => {
  let timer: NodeJS.Timeout | undefined
  const deadline = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new Refusal('deadline_exceeded', { headers: { 'Retry-After': '1' } }))
      work.then(discard, () => undefined)
    }, milliseconds)
  })
  try {
    return await Promise.race([work, deadline])
  } finally {
    clearTimeout(timer)
  }
}
