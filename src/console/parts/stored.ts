/** A text that this browser keeps between visits; null if there is none, or if it keeps nothing for pages at all. */
export const stored = (name: string): string | null => {
  try {
    return localStorage.getItem(name)
  } catch {
    return null
  }
}

/** Keeps a text between visits. False if the browser has no room, or keeps nothing for pages. */
export const store = (name: string, text: string): boolean => {
  try {
    localStorage.setItem(name, text)
    return true
  } catch {
    return false
  }
}

/** Forgets a text that was kept. */
export const forget = (name: string): void => {
  try {
    localStorage.removeItem(name)
  } catch {
    // nothing was kept
  }
}
