import { countDown } from './pause'

/** `countDown` before an attempt to connect again, which ends as soon as the browser says that it is online. */
export const countDownOrOnline = async (
  attempt: number,
  signal: AbortSignal,
  tell: (left: number) => void,
): Promise<void> => {
  const ended = new AbortController()
  const end = () => ended.abort()
  if (signal.aborted) end()
  signal.addEventListener('abort', end)
  addEventListener('online', end)
  try {
    await countDown(attempt, ended.signal, tell)
  } finally {
    signal.removeEventListener('abort', end)
    removeEventListener('online', end)
  }
}
