import type { LinkgateProblem } from '../api'
import { problemIn } from './loaded'
import { countDown } from './pause'

/** 403 and 404 will not turn into anything else by asking again. */
export const isFinal = ({ status }: LinkgateProblem): boolean => status >= 400 && status < 500 && status !== 429

/**
 * Reads a stream of events until `signal` aborts, and connects again where it breaks off. Ends where the service
 * refuses for good.
 */
export const stayConnected = async <Event>(
  open: (signal: AbortSignal) => AsyncIterable<Event>,
  signal: AbortSignal,
  {
    onEvent,
    onLost = () => undefined,
  }: {
    /** `isFirst`: of this connection */
    readonly onEvent: (event: Event, isFirst: boolean) => void
    /** told each second how many are left until the next try; null: there is none */
    readonly onLost?: (againIn: number | null) => void
  },
): Promise<void> => {
  for (let attempt = 0; !signal.aborted; attempt += 1) {
    try {
      let isFirst = true
      for await (const event of open(signal)) {
        onEvent(event, isFirst)
        isFirst = false
        attempt = 0
      }
    } catch (error) {
      if (signal.aborted) return
      if (isFinal(problemIn(error))) return onLost(null)
    }
    // the service ends each stream after a while, which is no loss
    await countDown(attempt, signal, (left) => attempt > 0 && onLost(left))
  }
}
