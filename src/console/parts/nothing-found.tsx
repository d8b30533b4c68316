import { useLocation } from 'preact-iso/router'

import { t } from '../language/language'
import { Button } from './button'
import { useLeftFocus } from './focus'

/** Says that a search found nothing, and leads to the whole list. It disappears then: the heading gets the focus. */
export const NothingFound = ({
  text,
  to,
  clear = t.links.clearFilters,
}: {
  readonly text: string
  readonly to: string
  readonly clear?: string
}) => {
  const { route } = useLocation()
  return (
    <>
      <p>{text}</p>
      <span ref={useLeftFocus<HTMLSpanElement>()}>
        <Button kind="bare" onPress={() => route(to, true)}>
          {clear}
        </Button>
      </span>
    </>
  )
}
