import { useSignal } from '@preact/signals'
import { useLocation } from 'preact-iso/router'
import { useRef } from 'preact/hooks'

import { api, type LinkgateProblem, type ManagedLink } from '../api'
import { dateAndTime } from '../language/format'
import { t } from '../language/language'
import { Ask } from '../parts/ask'
import { Button } from '../parts/button'
import type { Wanted } from '../parts/codes-like'
import { textOf } from '../parts/form'
import { useKeptFocus } from '../parts/focus'
import { problemIn } from '../parts/loaded'
import { faultsOf } from '../parts/note'
import { NothingFound } from '../parts/nothing-found'
import { Page } from '../parts/page'
import { Listed, usePages } from '../parts/pages'
import { SearchField } from '../parts/search-field'
import { TakenCode } from '../parts/taken-code'
import { failedWords, say } from '../parts/toast'
import { urlWith } from '../parts/url-with'
import { useTableKeys } from '../parts/use-table-keys'

/** A link that did not come back under its code, or under the one that was typed. */
interface Renamed {
  readonly link: ManagedLink
  readonly problem: LinkgateProblem
  readonly wanted: Wanted
}

/** Deleted links, which can be restored. */
export const TrashPage = () => {
  const { query, route } = useLocation()
  const { q = '' } = query
  const search = (text: string) => route(urlWith('/console/trash', { q: text }), true)
  const list = usePages(
    (from, options) =>
      api.listLinks({ state: 'deleted', limit: 50, count: true, ...(q !== '' && { q }), ...from }, options).page(),
    [q],
  )
  const renamed = useSignal<Renamed | null>(null)

  const going = useRef(new Set<string>())
  const restore = async (link: ManagedLink, code?: string) => {
    if (going.current.has(link.id)) return
    going.current.add(link.id)
    try {
      const restored = await api.restoreLink(link.id, code === undefined ? {} : { code })
      renamed.value = null
      list.remove(({ id }) => id === link.id)
      say(t.trash.restored(restored.code))
    } catch (error) {
      const found = problemIn(error)
      if (found.code === 'code_taken' || code !== undefined)
        renamed.value = { link, problem: found, wanted: { ...link, code: code ?? link.code } }
      else say(failedWords(found))
    } finally {
      going.current.delete(link.id)
    }
  }

  const { items } = list.state.value
  const keptFocus = useKeptFocus<HTMLTableSectionElement>()
  useTableKeys(keptFocus.ref, null)
  return (
    <Page title={t.nav.trash}>
      <p class="lead">{t.trash.lead}</p>
      <div class="row" role="search">
        <SearchField label={t.links.search} q={q} onSearch={search} />
      </div>
      <div class="card">
        <Listed
          list={list}
          empty={
            q === '' ? (
              t.trash.empty
            ) : (
              <NothingFound text={t.links.nothing([t.decisions.quoted(q)])} to="/console/trash" />
            )
          }
          words={t.links.shown}
        >
          <div class="table-wrap">
            <table class="table links">
              <thead>
                <tr>
                  <th scope="col">{t.links.columns.link}</th>
                  <th scope="col">{t.links.columns.target}</th>
                  <th scope="col">{t.trash.deletedAt}</th>
                  <th scope="col">
                    <span class="unseen">{t.links.columns.actions}</span>
                  </th>
                </tr>
              </thead>
              <tbody {...keptFocus}>
                {items.map((link) => (
                  <tr key={link.id}>
                    <td>
                      <strong>{link.code}</strong>
                      {link.title !== null && (
                        <div class="caption" dir="auto">
                          {link.title}
                        </div>
                      )}
                    </td>
                    <td class="cut" title={link.target}>
                      {link.target}
                    </td>
                    <td>{link.deleted_at === undefined ? '' : dateAndTime(link.deleted_at)}</td>
                    <td class="number">
                      <Button icon="restore" onPress={() => restore(link)} label={`${t.trash.restore} ${link.code}`}>
                        {t.trash.restore}
                      </Button>
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        </Listed>
      </div>
      {renamed.value !== null && (
        <Ask
          title={t.trash.otherCode(renamed.value.link.code)}
          label={t.fields.code}
          fault={
            renamed.value.problem.code === 'code_taken' ? (
              <TakenCode key={renamed.value.wanted.code} wanted={renamed.value.wanted} />
            ) : (
              (faultsOf(renamed.value.problem)['code'] ?? t.problem(renamed.value.problem))
            )
          }
          action={t.trash.restore}
          problem={null}
          onClose={() => (renamed.value = null)}
          onAnswer={(form) => renamed.value !== null && restore(renamed.value.link, textOf(form, 'code'))}
        >
          {(names) => <input {...names} name="code" class="mono" required maxLength={64} autocomplete="off" />}
        </Ask>
      )}
    </Page>
  )
}
