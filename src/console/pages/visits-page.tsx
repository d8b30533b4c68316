import { useLocation } from 'preact-iso/router'

import { api, type AllVisits } from '../api'
import { t } from '../language/language'
import { Card } from '../parts/card'
import { Page } from '../parts/page'
import { TagMenu } from '../parts/tag-menu'
import { urlWith } from '../parts/url-with'
import { Bars } from '../parts/visits/bars'
import { Breakdowns } from '../parts/visits/breakdowns'
import { periodIn, type Period } from '../parts/visits/periods'
import { useVisits } from '../parts/visits/use-visits'
import { VisitsCard } from '../parts/visits/visits-card'

const addressOf = (period: Period, tag: readonly string[]): string => urlWith('/console/visits', { period, tag })

/** The visits of all links that the user may change, or only of those with some tags. */
export const VisitsPage = () => {
  const { url, query, route } = useLocation()
  const period = periodIn(query['period'])
  const tags = new URL(url, location.origin).searchParams.getAll('tag')
  const visits = useVisits((bounds, signal) => api.getVisits({ ...bounds, tag: tags }, { signal }), period, [
    tags.join(),
  ])
  const { value } = visits
  return (
    <Page title={t.nav.visits}>
      <div class="row">
        <TagMenu chosen={tags} onChoose={(chosen) => route(addressOf(period, chosen), true)} />
      </div>
      <VisitsCard
        title={tags.length === 0 ? t.visits.ofAll : t.visits.ofTagged(tags)}
        period={period}
        onPeriod={(chosen) => route(addressOf(chosen, tags), true)}
        visits={visits}
        none={
          <>
            {t.visits.none} {t.visits.noneHint} <a href="/console">{t.notFound.back}</a>
          </>
        }
      />
      {value !== null && value.shown.total > 0 && (
        <Breakdowns by={value.shown.by}>
          <MostVisited visits={value.shown} />
        </Breakdowns>
      )}
    </Page>
  )
}

const MostVisited = ({ visits: { links, total } }: { readonly visits: AllVisits }) => (
  <Card title={t.visits.mostVisited}>
    <div class="body">
      {links.length === 0 && <p class="hint">{t.visits.nothing}</p>}
      <Bars
        all={total}
        rows={links.map(({ code, visits }) => ({ name: <a href={`/console/links/${code}`}>{code}</a>, visits }))}
      />
    </div>
  </Card>
)
