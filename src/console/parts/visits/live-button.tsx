import { t } from '../../language/language'
import type { Live } from './use-live'

/** Shows whether visits arrive live. A press pauses or resumes the numbers. */
export const LiveButton = ({ live, onTurn }: { readonly live: Live; readonly onTurn: () => unknown }) => (
  <button
    type="button"
    class={`button bare live ${live.is}`}
    aria-disabled={live.is === 'lost' || live.is === 'connecting' || undefined}
    onClick={() => {
      if (live.is === 'on' || live.is === 'paused') void onTurn()
    }}
  >
    <svg width="8" height="8" aria-hidden="true">
      <circle cx="4" cy="4" r="3" />
    </svg>
    {t.visits.live(live)}
    {(live.is === 'on' || live.is === 'paused') && (
      <span class="unseen">{live.is === 'on' ? t.visits.hold : t.visits.goOn}</span>
    )}
  </button>
)
