import { useLocation } from 'preact-iso/router'

import { api, type ManagedLink } from '../../api'
import { t } from '../../language/language'
import { LiveDot } from '../../parts/live-dot'
import { Breakdowns } from '../../parts/visits/breakdowns'
import { periodIn } from '../../parts/visits/periods'
import { useLive, type Live } from '../../parts/visits/use-live'
import { useVisits } from '../../parts/visits/use-visits'
import { VisitsCard } from '../../parts/visits/visits-card'

/** The visits of a link, also live. */
export const LinkVisits = ({ link: { code, id, visits: counted } }: { readonly link: ManagedLink }) => {
  const { query, path, route } = useLocation()
  const period = periodIn(query['period'])
  const visits = useVisits((bounds, signal) => api.getLinkVisits(code, bounds, { signal }), period, [id])
  const { live, turn } = useLive(code, visits.again)
  const { value } = visits
  return (
    <div class="stack">
      <VisitsCard
        period={period}
        onPeriod={(chosen) => route(`${path}?period=${chosen}`, true)}
        visits={visits}
        none={counted.total === 0 ? t.link.nobodyYet : t.visits.none}
      >
        {value?.shown.counting !== false && <LiveButton live={live.value} onTurn={turn} />}
      </VisitsCard>
      {value !== null && value.shown.total > 0 && <Breakdowns by={value.shown.by} />}
    </div>
  )
}

/** Shows whether visits arrive live. A press pauses or resumes the numbers. */
const LiveButton = ({ live, onTurn }: { readonly live: Live; readonly onTurn: () => unknown }) => (
  <button
    type="button"
    class={`button bare live ${live.is}`}
    aria-disabled={live.is === 'lost' || live.is === 'connecting' || undefined}
    onClick={() => {
      if (live.is === 'on' || live.is === 'paused') void onTurn()
    }}
  >
    <LiveDot />
    {t.visits.live(live)}
    {(live.is === 'on' || live.is === 'paused') && (
      <span class="unseen">{live.is === 'on' ? t.visits.hold : t.visits.goOn}</span>
    )}
  </button>
)
