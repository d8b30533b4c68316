import { useSignal } from '@preact/signals'
import { useLocation } from 'preact-iso/router'
import { useMemo, useRef } from 'preact/hooks'

import { MOST_COUNTED } from '../../../domain/counted.js'
import { api } from '../../api'
import { number } from '../../language/format'
import { t } from '../../language/language'
import { useAttempt } from '../../parts/attempt'
import { Button } from '../../parts/button'
import { useLeftFocus } from '../../parts/focus'
import { toLocal } from '../../parts/local-time'
import { Note, ProblemNote } from '../../parts/note'
import { NothingFound } from '../../parts/nothing-found'
import { Page } from '../../parts/page'
import { Listed, usePages } from '../../parts/pages'
import { reasonFor } from '../../parts/service-rights'
import { urlWith } from '../../parts/url-with'
import { useNames } from '../../parts/use-names'
import { useUserSuggestions } from '../../parts/use-suggestions'
import { useTableKeys } from '../../parts/use-table-keys'
import { ExportMenu } from './export-menu'
import { knownIn } from './known-values'
import { LayerBars } from './layer-bars'
import { byNewest } from './log-line'
import { LogTable } from './log-table'
import { readQuery } from './meaning'
import { formatQuery, parseQuery, withTerms, type Term } from './query'
import { QueryField } from './query-field'
import { usersIn } from './record-words'
import { ASKED_ENTRIES } from './tail'
import { TailBar } from './tail-bar'
import { useTail } from './use-tail'

const NO_PAGE = { data: [], next_cursor: null }
/** How far the list may be scrolled for new lines to be inserted, in pixels. */
const AT_TOP = -16

const addressOf = (q: string): string => urlWith('/console/decisions', { q })

/** All decisions and changes, newest first; searchable, live and exportable. */
export const DecisionsPage = () => {
  const { query, route } = useLocation()
  const off = reasonFor('audit:read')
  const q = query['q'] ?? ''
  const terms = parseQuery(q)
  // "seven days" are counted from the search, and stay fixed while scrolling
  const { asked, faults } = useMemo(() => readQuery(parseQuery(q), Date.now()), [q])
  const isFaulty = faults.some((fault) => fault !== null)
  const list = usePages(
    async (from, options) =>
      isFaulty
        ? NO_PAGE
        : api
            .getTimeline(
              { ...asked, limit: ASKED_ENTRIES, ...(from.cursor === undefined ? { count: 'true' } : from) },
              options,
            )
            .page(),
    [q],
  )
  const { items, count, next } = list.state.value
  const card = useRef<HTMLElement>(null)
  const mayAdd = () => {
    const { current } = card
    return (
      current === null || (!current.contains(document.activeElement) && current.getBoundingClientRect().top > AT_TOP)
    )
  }
  const tailOff = off ?? (asked.to === undefined ? null : t.decisions.hasEnd)
  const { tail, turn, show } = useTail(tailOff !== null || isFaulty ? null : q, {
    list,
    mayAdd,
    load: (options) => api.getTimeline({ ...asked, limit: ASKED_ENTRIES }, options).page(),
  })
  const lines = useMemo(() => items.toSorted(byNewest), [items])
  const nameOf = useNames(lines.flatMap(usersIn))

  /** the typed user; null: something else is typed */
  const person = useSignal<string | null>(null)
  const people = useUserSuggestions(person.value)
  const known = knownIn(
    lines,
    people.map(({ email, name, role }) => ({ value: email, hint: `${name}, ${role}` })),
    today(),
  )
  const search = (text: string) => {
    if (text !== q) route(addressOf(text))
  }
  const { busy: isSaving, problem, attempt } = useAttempt()

  useTableKeys(card, null)
  const { fresh } = tail.value
  return (
    <Page
      title={t.nav.decisions}
      actions={
        <>
          {!isFaulty && <TailBar tail={tail.value} off={tailOff} onTurn={turn} />}
          <ExportMenu
            asked={asked}
            off={off ?? (isFaulty ? t.decisions.faulty : null)}
            busy={isSaving.value}
            attempt={attempt}
          />
        </>
      }
    >
      <p class="lead">
        {t.decisions.lead} <a href="/console/proof">{t.nav.proof}</a>
      </p>
      <QueryField
        query={q}
        known={known}
        onSearch={search}
        onType={(term) => (person.value = term?.name === 'user' ? term.value : null)}
      />
      <ProblemNote problem={problem.value} />
      {isFaulty ? (
        <Note kind="lit" title={t.decisions.faulty}>
          {t.decisions.faultyHint}
        </Note>
      ) : (
        <section class="card" ref={card} aria-label={t.nav.decisions}>
          <p class="log-head">
            <span>
              <LayerBars stop={null} /> {t.decisions.passedAll}
            </span>
            <span>
              <LayerBars stop="object" /> {t.decisions.stoppedAt}
            </span>
            {fresh > 0 && <ShowNew fresh={fresh} onShow={show} />}
          </p>
          <Listed
            list={list}
            empty={
              q === '' ? (
                <p>{t.decisions.empty}</p>
              ) : (
                <NothingFound text={t.decisions.nothing(q)} to="/console/decisions" clear={t.decisions.clear} />
              )
            }
            words={(shown, all) =>
              t.decisions.shown(
                shown,
                all === undefined || next === null ? null : number(all),
                (count ?? 0) >= MOST_COUNTED,
              )
            }
          >
            <LogTable
              key={q}
              lines={lines}
              added={tail.value.added}
              nameOf={nameOf}
              policyOff={reasonFor('policy:read')}
              addressWith={(more: readonly Term[]) => addressOf(formatQuery(withTerms(terms, more)))}
            />
          </Listed>
        </section>
      )}
    </Page>
  )
}

const ShowNew = ({ fresh, onShow }: { readonly fresh: number; readonly onShow: () => unknown }) => (
  <span ref={useLeftFocus<HTMLSpanElement>()} class="push">
    <Button
      onPress={() => {
        onShow()
        scrollTo(0, 0)
      }}
    >
      {t.decisions.showNew(fresh)}
    </Button>
  </span>
)

const today = (): string => toLocal(new Date().toISOString()).slice(0, 10)
