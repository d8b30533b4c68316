type Hear = (event: Event) => void

let hearing: Hear | null = null

// the window has no capturing phase for its own events: the first that listens is the first that hears, so this is
// loaded before the router is
addEventListener('popstate', (event) => hearing?.(event))

/** Hears of Back and Forward before the router. Returns how to stop that. */
export const hearBack = (hear: Hear): (() => void) => {
  hearing = hear
  return () => {
    if (hearing === hear) hearing = null
  }
}
