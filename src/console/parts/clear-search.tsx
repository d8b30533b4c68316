import { useLocation } from 'preact-iso/router'

import { Button } from './button'
import { useLeftFocus } from './focus'

/** Leads to the whole list, where a search found nothing. It disappears then, so the page's heading gets the focus. */
export const ClearSearch = ({ to, words }: { readonly to: string; readonly words: string }) => {
  const { route } = useLocation()
  return (
    <span ref={useLeftFocus<HTMLSpanElement>()}>
      <Button kind="bare" onPress={() => route(to, true)}>
        {words}
      </Button>
    </span>
  )
}
