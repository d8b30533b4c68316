import { useSignal } from '@preact/signals'
import { useLocation } from 'preact-iso/router'
import { useEffect, useRef } from 'preact/hooks'

import { api, type ManagedLink } from '../../api'
import { timeZone } from '../../language/format'
import { t } from '../../language/language'
import { Button } from '../../parts/button'
import { CreateBar } from '../../parts/create-bar'
import { trashDays, useDeletion } from '../../parts/delete-dialog'
import { deleteExactly, switchExactly } from '../../parts/exactly'
import { download } from '../../parts/download'
import { useKeptFocus } from '../../parts/focus'
import { late } from '../../parts/late'
import { ifGone } from '../../parts/loaded'
import { NothingFound } from '../../parts/nothing-found'
import { Page } from '../../parts/page'
import { Listed, usePages } from '../../parts/pages'
import { SelectAll, useSelection } from '../../parts/selection'
import { reasonFor } from '../../parts/service-rights'
import { say, sayIfRefused } from '../../parts/toast'
import { useLinkRights } from '../../parts/use-link-rights'
import { useTableKeys } from '../../parts/use-table-keys'
import { FilterBar, filtersIn, isFiltered, queryOf, wordsOf } from './filters'
import { LinkRow } from './link-row'

const { part: bulk, load: loadBulk } = late(() => import('./bulk-bar'))

/** The links that the user may change: create, find, copy, and change many at once. */
export const LinksPage = () => {
  const { url } = useLocation()
  const filters = filtersIn(url)
  const { q, tags, state, sort } = filters
  const list = usePages(
    (from, options) => api.listLinks({ limit: 50, count: true, sort, ...queryOf(filters), ...from }, options).page(),
    [q, tags.join(), state, sort],
  )
  const { items } = list.state.value
  const keptFocus = useKeptFocus<HTMLTableSectionElement>()
  const rights = useLinkRights(items.map(({ code }) => code))
  const mayNotCreate = reasonFor('link:create')
  const selection = useSelection(items)
  const { chosen, clear } = selection

  const Bulk = bulk.value?.BulkBar
  const isAnyChosen = chosen.length > 0
  useEffect(() => {
    void loadBulk()
  }, [isAnyChosen])

  const made = useSignal<ManagedLink | null>(null)
  const drop = (ids: ReadonlySet<string>) => {
    list.remove(({ id }) => ids.has(id))
    selection.drop(ids)
    if (ids.has(made.peek()?.id ?? '')) made.value = null
  }
  /** Somebody else deleted or renamed it: its row would be refused whatever is done to it. */
  const dropIfGone = (id: string) => ifGone(() => drop(new Set([id])))

  const going = useRef(new Set<string>())
  const remove = async (link: ManagedLink) => {
    const { id } = link
    if (going.current.has(id)) return
    going.current.add(id)
    try {
      await deleteExactly(link).catch(dropIfGone(id))
      drop(new Set([id]))
      if (trashDays > 0) say(t.links.deleted(1, trashDays), async () => list.add(await api.restoreLink(id)))
      else say(t.links.forGood.done)
    } finally {
      going.current.delete(id)
    }
  }
  const deletion = useDeletion()
  const switchIt = (link: ManagedLink) =>
    sayIfRefused(async () => list.put([await switchExactly(link).catch(dropIfGone(link.id))]))

  const focusRow = useTableKeys(keptFocus.ref, selection, {
    c: () => document.querySelector<HTMLInputElement>('[name=target]')?.focus(),
  })

  return (
    <Page
      title={t.nav.links}
      actions={
        <Button
          icon="download"
          onPress={() => sayIfRefused(() => download('links.csv', api.exportLinks(queryOf(filters))))}
        >
          {isFiltered(filters) ? t.links.exportListed : t.links.export}
        </Button>
      }
    >
      <CreateBar made={made} onMade={list.add} off={mayNotCreate} />
      <FilterBar filters={filters} />
      <div class="card">
        {chosen.length > 0 && Bulk !== undefined && (
          <Bulk
            selected={chosen}
            rightsOf={(code) => rights.get(code)}
            onDeleted={(ids) => {
              drop(ids)
              if (ids.size === chosen.length) requestAnimationFrame(() => focusRow(0))
            }}
            onChanged={list.put}
            onClear={clear}
          />
        )}
        <Listed
          list={list}
          empty={
            isFiltered(filters) ? (
              <NothingFound text={t.links.nothing(wordsOf(filters))} to="/console" />
            ) : (
              <>
                <p>{mayNotCreate === null ? t.links.empty : t.links.noneYet}</p>
                <a href="/console/welcome">{t.welcome.firstSteps}</a>
              </>
            )
          }
          words={t.links.shown}
          foot={<span class="push">{t.links.zone(timeZone())}</span>}
        >
          <table class="table links">
            <thead>
              <tr>
                <SelectAll of={selection} />
                <th scope="col">{t.links.columns.link}</th>
                <th scope="col">{t.links.columns.target}</th>
                <th scope="col" class="tags-cell">
                  {t.links.columns.tags}
                </th>
                <th scope="col">{t.links.columns.state}</th>
                <th scope="col" class="number">
                  {t.links.columns.visits}
                </th>
                <th scope="col">
                  <span class="unseen">{t.links.columns.actions}</span>
                </th>
              </tr>
            </thead>
            <tbody {...keptFocus}>
              {items.map((link) => (
                <LinkRow
                  key={link.id}
                  link={link}
                  rights={rights.get(link.code)}
                  selection={selection}
                  onDelete={(gone) => deletion.remove(1, () => sayIfRefused(() => remove(gone)))}
                  onSwitch={switchIt}
                />
              ))}
            </tbody>
          </table>
        </Listed>
      </div>
      {deletion.dialog}
    </Page>
  )
}
