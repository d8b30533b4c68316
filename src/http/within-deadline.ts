import { Refusal } from '../domain/refusal.js'

/** The work's result, or `deadline_exceeded` (503) after so many milliseconds; what the work does later reaches nobody. */
export const withinDeadline = async <T>(work: Promise<T>, milliseconds: number): Promise<T> => {
  let timer: NodeJS.Timeout | undefined
  const deadline = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Refusal('deadline_exceeded', { headers: { 'Retry-After': '1' } })), milliseconds)
  })
  try {
    return await Promise.race([work, deadline])
  } finally {
    clearTimeout(timer)
  }
}
