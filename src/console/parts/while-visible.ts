/**
 * Runs `work` whenever the page is visible and online, and aborts its signal when it no longer is. Returns how to end
 * it. For streams: without a network they fall silent, and a browser allows six connections to a host, which pages in
 * the background would use up.
 */
export const whileVisible = (
  work: (signal: AbortSignal) => unknown,
  onOffline: () => unknown = () => undefined,
): (() => void) => {
  const hears = new AbortController()
  let running = new AbortController()
  const follow = () => {
    running.abort()
    running = new AbortController()
    if (!navigator.onLine) onOffline()
    else if (!document.hidden) void work(running.signal)
  }
  follow()
  document.addEventListener('visibilitychange', follow, hears)
  addEventListener('online', follow, hears)
  addEventListener('offline', follow, hears)
  return () => {
    running.abort()
    hears.abort()
  }
}
