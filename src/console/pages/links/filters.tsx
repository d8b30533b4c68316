import { useLocation } from 'preact-iso/router'
import { useEffect, useRef } from 'preact/hooks'

import { t } from '../../language/language'
import { Icon } from '../../parts/icon'
import { TagMenu } from '../../parts/tag-menu'

const STATES = ['active', 'inactive', 'expired'] as const
const SORTS = ['-created_at', 'created_at', 'code', '-code', 'visits', '-visits'] as const

/** Which links are asked for. It stands in the address, so that a list can be kept and sent. */
export interface Filters {
  readonly q: string
  readonly tags: readonly string[]
  readonly state: (typeof STATES)[number] | undefined
  readonly sort: (typeof SORTS)[number]
}

export const filtersIn = (url: string): Filters => {
  const given = new URL(url, location.origin).searchParams
  return {
    q: given.get('q') ?? '',
    tags: given.getAll('tag'),
    state: STATES.find((state) => state === given.get('state')),
    sort: SORTS.find((sort) => sort === given.get('sort')) ?? SORTS[0],
  }
}

const addressOf = ({ q, tags, state, sort }: Filters): string => {
  const query = new URLSearchParams()
  if (q !== '') query.set('q', q)
  for (const tag of tags) query.append('tag', tag)
  if (state !== undefined) query.set('state', state)
  if (sort !== SORTS[0]) query.set('sort', sort)
  return query.size === 0 ? '/console' : `/console?${query}`
}

/** True where a list is asked for in part. */
export const isFiltered = ({ q, tags, state }: Filters): boolean => q !== '' || tags.length > 0 || state !== undefined

/** How long somebody has not typed before the list is asked for, in milliseconds. */
const TYPED_MS = 200

export const FilterBar = ({ filters }: { readonly filters: Filters }) => {
  const { route } = useLocation()
  const typing = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => () => clearTimeout(typing.current), [])
  const set = (changed: Partial<Filters>) => route(addressOf({ ...filters, ...changed }), true)
  return (
    <div class="filters" role="search">
      <div class="search">
        <Icon name="search" />
        <input
          type="search"
          name="q"
          aria-label={t.links.search}
          placeholder={t.links.search}
          defaultValue={filters.q}
          maxLength={200}
          onInput={({ currentTarget: { value } }) => {
            clearTimeout(typing.current)
            typing.current = setTimeout(() => {
              // while the next page is loaded this one is still there
              if (location.pathname === '/console') set({ q: value.trim() })
            }, TYPED_MS)
          }}
        />
        <kbd aria-hidden="true">/</kbd>
      </div>
      <TagMenu chosen={filters.tags} onChoose={(tags) => set({ tags })} />
      <label class="select">
        <span>{t.links.state}</span>
        <select
          value={filters.state ?? ''}
          onChange={({ currentTarget: { value } }) => set({ state: STATES.find((state) => state === value) })}
        >
          <option value="">{t.links.states.all}</option>
          {STATES.map((state) => (
            <option key={state} value={state}>
              {t.links.states[state]}
            </option>
          ))}
        </select>
      </label>
      <label class="select push">
        <span>{t.links.sortedBy}</span>
        <select
          value={filters.sort}
          onChange={({ currentTarget: { value } }) => set({ sort: SORTS.find((sort) => sort === value) ?? SORTS[0] })}
        >
          {SORTS.map((sort) => (
            <option key={sort} value={sort}>
              {t.links.sorts[sort]}
            </option>
          ))}
        </select>
      </label>
    </div>
  )
}
