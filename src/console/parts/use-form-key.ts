import { useRef } from 'preact/hooks'

/**
 * The key of a form that is filled from the URL. It changes with what the URL shows, so that the form is filled again.
 * A form that is about to change the URL itself announces that by `keepFor`, and stays as it is, with its focus.
 */
export const useFormKey = (shown: string): { readonly key: number; readonly keepFor: (next: string) => void } => {
  const last = useRef(shown)
  const key = useRef(0)
  if (last.current !== shown) {
    last.current = shown
    key.current += 1
  }
  return {
    key: key.current,
    keepFor: (next) => {
      last.current = next
    },
  }
}
