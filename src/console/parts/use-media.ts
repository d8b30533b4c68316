import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'

/** Whether the window matches a media query, now and as it changes. */
export const useMedia = (query: string): boolean => {
  const matches = useSignal(matchMedia(query).matches)
  useEffect(() => {
    const media = matchMedia(query)
    const look = () => (matches.value = media.matches)
    look()
    media.addEventListener('change', look)
    return () => media.removeEventListener('change', look)
  }, [query])
  return matches.value
}
