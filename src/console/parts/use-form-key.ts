import { useRef } from 'preact/hooks'

/**
 * A key for a form that shows what is in the URL: a new one, which fills the form anew, whenever that changes. Only
 * what the form itself is about to put there, told by `keepFor`, keeps the form as it is, with its focus.
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
