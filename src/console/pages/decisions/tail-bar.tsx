import { t } from '../../language/language'
import { Button } from '../../parts/button'
import { LiveDot } from '../../parts/live-dot'
import type { Tail } from './tail'

/** Shows whether new lines arrive, with a button to pause them. */
export const TailBar = ({
  tail,
  off,
  onTurn,
}: {
  readonly tail: Tail
  /** why no lines arrive */
  readonly off: string | null
  readonly onTurn: () => unknown
}) => {
  const { isPaused, lost } = tail
  return (
    <>
      {off === null && (
        <span class={isPaused || lost !== null ? 'row live' : 'row live on'}>
          <LiveDot />
          {t.decisions.tail(tail)}
        </span>
      )}
      <Button icon={isPaused ? 'play' : 'pause'} off={off} onPress={onTurn}>
        {isPaused ? t.decisions.goOn : t.decisions.pause}
      </Button>
    </>
  )
}
