import { number } from '../language/format'
import { t } from '../language/language'
import { Button } from './button'
import { useKeptFocus } from './focus'

/** The foot of a list of which a part is shown. Once all is shown, the focus stays below it. */
export const MoreFoot = ({
  shown,
  all,
  onMore,
}: {
  readonly shown: number
  readonly all: number
  readonly onMore: () => unknown
}) => (
  <div class="list-foot" {...useKeptFocus<HTMLDivElement>()}>
    <span tabIndex={-1}>{t.shown(shown, all)}</span>
    {shown < all && (
      <Button kind="bare" onPress={onMore}>
        {t.more(number(all - shown))}
      </Button>
    )}
  </div>
)
