import { problemIn } from './loaded'
import { countDownOrOnline, isFinal } from './reconnect'

/**
 * Reads a stream of events until `signal` aborts, and reconnects if it breaks. Ends if the service refuses permanently.
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
    /** called every second with the seconds until the next attempt; null: there is none */
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
    // the service ends each stream after a while, which is not an error
    await countDownOrOnline(attempt, signal, (left) => attempt > 0 && onLost(left))
  }
}
