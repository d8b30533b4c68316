import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'

/** Whether the window is as a media query says, now and as it changes. */
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
