/**
 * Runs `work` whenever the page becomes visible, and aborts its signal when the page is hidden. Returns how to end it.
 * For streams: a browser allows six connections to a host, which many tabs in the background would use up.
 */
export const whileVisible = (work: (signal: AbortSignal) => unknown): (() => void) => {
  let ended = new AbortController()
  const follow = () => {
    ended.abort()
    ended = new AbortController()
    if (!document.hidden) void work(ended.signal)
  }
  follow()
  document.addEventListener('visibilitychange', follow)
  return () => {
    ended.abort()
    document.removeEventListener('visibilitychange', follow)
  }
}
