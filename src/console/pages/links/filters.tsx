import { useLocation } from 'preact-iso/router'

import { t } from '../../language/language'
import { FilterSelect } from '../../parts/filter-select'
import { oneOf } from '../../parts/narrow'
import { SearchField } from '../../parts/search-field'
import { TagMenu } from '../../parts/tag-menu'
import { urlWith } from '../../parts/url-with'

const STATES = ['active', 'inactive', 'expired'] as const
const SORTS = ['-created_at', 'created_at', 'code', '-code', 'visits', '-visits'] as const

/** The filters of the list. They are in the URL, so that a list can be bookmarked and sent. */
interface Filters {
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
    state: oneOf(STATES, given.get('state')),
    sort: oneOf(SORTS, given.get('sort')) ?? SORTS[0],
  }
}

const addressOf = ({ q, tags, state, sort }: Filters): string =>
  urlWith('/console', { q, tag: tags, state, sort: sort === SORTS[0] ? null : sort })

/** The filters of an export, and of a list beside its order. */
export const queryOf = ({ q, tags, state }: Filters) => ({
  ...(q !== '' && { q }),
  ...(tags.length > 0 && { tag: [...tags] }),
  ...(state !== undefined && { state }),
})

/** True if any filter is set. */
export const isFiltered = ({ q, tags, state }: Filters): boolean => q !== '' || tags.length > 0 || state !== undefined

/** The filters in words, as the bar names them. */
export const wordsOf = ({ q, tags, state }: Filters): readonly string[] => [
  ...(q === '' ? [] : [t.decisions.quoted(q)]),
  ...tags.map((tag) => t.links.onlyTag(tag)),
  ...(state === undefined ? [] : [t.links.onlyState(t.links.states[state])]),
]

export const FilterBar = ({ filters }: { readonly filters: Filters }) => {
  const { route } = useLocation()
  const set = (changed: Partial<Filters>) => route(addressOf({ ...filters, ...changed }), true)
  return (
    <div class="row" role="search">
      <SearchField label={t.links.search} q={filters.q} onSearch={(q) => set({ q })} />
      <TagMenu chosen={filters.tags} onChoose={(tags) => set({ tags })} />
      <FilterSelect
        label={t.links.columns.state}
        names={[undefined, ...STATES]}
        chosen={filters.state}
        words={(state) => t.links.states[state ?? 'all']}
        onChoose={(state) => set({ state })}
      />
      <FilterSelect
        label={t.links.sortedBy}
        names={SORTS}
        chosen={filters.sort}
        words={(sort) => t.links.sorts[sort]}
        atEnd
        onChoose={(sort) => set({ sort })}
      />
    </div>
  )
}
