import type { LinkgateProblem } from '../api'
import { problemIn } from './loaded'
import { countDown } from './pause'

/** Retrying does not change a 403 or a 404. */
export const isFinal = ({ status }: LinkgateProblem): boolean => status >= 400 && status < 500 && status !== 429

/** `countDown` before an attempt to connect again, which ends as soon as the browser says that it is online. */
export const countDownOrOnline: typeof countDown = async (attempt, signal, tell) => {
  const online = new AbortController()
  const end = () => online.abort()
  // the signal removes the listener
  addEventListener('online', end, { signal: online.signal })
  await countDown(attempt, AbortSignal.any([signal, online.signal]), tell).finally(end)
}

/** Repeats a request until it is answered, for pages that show nothing of a failure. Throws a final refusal. */
export const untilAnswered = async <T>(ask: () => Promise<T>, signal: AbortSignal): Promise<T> => {
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await ask()
    } catch (error) {
      if (signal.aborted || isFinal(problemIn(error))) throw error
    }
    await countDownOrOnline(attempt, signal, () => undefined)
  }
}
