import { countDown } from './pause'

/** `countDown` before an attempt to connect again, which ends as soon as the browser says that it is online. */
export const countDownOrOnline: typeof countDown = async (attempt, signal, tell) => {
  const online = new AbortController()
  const end = () => online.abort()
  // the signal removes the listener
  addEventListener('online', end, { signal: online.signal })
  await countDown(attempt, AbortSignal.any([signal, online.signal]), tell).finally(end)
}
