import { useSignal } from '@preact/signals'
import { useLocation } from 'preact-iso/router'
import { useEffect, useRef } from 'preact/hooks'

import { positiveIntegerIn } from '../../../domain/positive-integer.js'
import { api } from '../../api'
import { dateAndTime, number } from '../../language/format'
import { t } from '../../language/language'
import { Note } from '../../parts/note'
import { Page } from '../../parts/page'
import { Listed, usePages } from '../../parts/pages'
import { useRevisionInForce } from '../../parts/policy/in-force'
import { reasonFor } from '../../parts/service-rights'
import { urlWith } from '../../parts/url-with'
import { useLateRoute } from '../../parts/use-late-route'
import { InForceOn } from './in-force-on'
import { RestoreDialog } from './restore-dialog'
import { ComparisonCard, RevisionCard } from './revision-card'
import { TimeLine, type Picked } from './time-line'
import { useTurned } from './use-turned'

const picksIn = (query: Readonly<Record<string, string>>): Picked => ({
  open: positiveIntegerIn(query['revision']),
  compared: (query['compare'] ?? '').split(',').flatMap((text) => positiveIntegerIn(text) ?? []),
})

/** All edits of the policy: reason, author, time and changes; with comparing and restoring. */
export const RevisionsPage = () => {
  const { query, path } = useLocation()
  const lateRoute = useLateRoute()
  const picked = picksIn(query)
  const off = reasonFor('policy:write')
  const inForce = useRevisionInForce()
  const list = usePages((from, options) =>
    api.listPolicyRevisions({ limit: 20, ...(from.cursor === undefined ? { count: 'true' } : from) }, options).page(),
  )
  const known = useRef<number | null>(null)
  useEffect(() => {
    if (known.current !== null && inForce.value !== known.current) void list.again()
    known.current = inForce.value
  }, [inForce.value])
  const { items } = list.state.value
  const turned = useTurned(items)
  const restoring = useSignal<number | null>(null)

  const show = ({ open, compared }: Picked) =>
    lateRoute(urlWith(path, { revision: open, compare: compared.join() }), true)
  const [from, to] = picked.compared
  const beside = useRef<HTMLDivElement>(null)
  // on a narrow screen, the open part is below the list
  useEffect(() => {
    if (picked.open !== null || to !== undefined) beside.current?.scrollIntoView({ block: 'nearest' })
  }, [picked.open, from, to])
  return (
    <Page title={t.nav.revisions}>
      <p class="lead">{t.revisions.lead}</p>
      <InForceOn onFound={(revision) => show({ open: revision, compared: [] })} />
      <div class="revisions">
        <section class="card" aria-labelledby="time-line-title">
          <header>
            <h2 id="time-line-title">{t.revisions.timeLine}</h2>
            <span class="caption">
              {to === undefined ? t.revisions.pickTwo : t.revisions.picked(number(from ?? 0), number(to))}
            </span>
          </header>
          <Listed list={list} empty={t.revisions.none}>
            <TimeLine
              revisions={items}
              turned={turned.value}
              inForce={inForce.value}
              picked={picked}
              off={off}
              onOpen={(revision) => show({ open: revision, compared: [] })}
              onCompare={(revision, isCompared) => {
                const others = picked.compared.filter((each) => each !== revision)
                show({
                  open: picked.open,
                  compared: isCompared ? [...others.slice(-1), revision].sort(byNumber) : others,
                })
              }}
              onRestore={({ revision }) => (restoring.value = revision)}
            />
          </Listed>
        </section>
        <div class="stack" ref={beside}>
          {from !== undefined && to !== undefined ? (
            <ComparisonCard from={from} to={to} onSwap={() => show({ ...picked, compared: [to, from] })} />
          ) : picked.open !== null ? (
            <RevisionCard key={picked.open} revision={picked.open} />
          ) : (
            <Note title={t.revisions.openOne}>{t.revisions.openHint}</Note>
          )}
        </div>
      </div>
      <p class="caption">{t.revisions.zone(dateAndTime(Date.now()))}</p>
      {restoring.value !== null && (
        <RestoreDialog
          revision={restoring.value}
          onClose={(made) => {
            restoring.value = null
            if (made !== null) {
              inForce.value = made
              show({ open: made, compared: [] })
            }
          }}
        />
      )}
    </Page>
  )
}

const byNumber = (a: number, b: number): number => a - b
