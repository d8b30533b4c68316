import { t } from '../../language/language'
import type { Live } from './use-live'

/** Whether visits come in as they happen. A press holds the numbers where they are, or lets them go on. */
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
