import { useLocation } from 'preact-iso/router'

import { t } from '../../language/language'
import { FilterSelect } from '../../parts/filter-select'
import { oneOf } from '../../parts/narrow'
import { useRoles } from '../../parts/roles'
import { SearchField } from '../../parts/search-field'
import { urlWith } from '../../parts/url-with'

const STATES = ['active', 'suspended'] as const

interface UserFilters {
  readonly q: string
  readonly role: string
  readonly state: (typeof STATES)[number] | undefined
}

type Texts = Readonly<Record<string, string | undefined>>

export const userFiltersIn = ({ q = '', role = '', state }: Texts): UserFilters => ({
  q,
  role,
  state: oneOf(STATES, state),
})

export const isFiltered = ({ q, role, state }: UserFilters): boolean => q !== '' || role !== '' || state !== undefined

/** The filters as parameters of the service. */
export const queryOf = ({ q, role, state }: UserFilters) => ({
  ...(q !== '' && { q }),
  ...(role !== '' && { role }),
  ...(state !== undefined && { suspended: state === 'suspended' }),
})

export const UserFilterBar = ({ filters }: { readonly filters: UserFilters }) => {
  const { route } = useLocation()
  const roles = useRoles()
  const set = (changed: Partial<UserFilters>) => route(urlWith('/console/users', { ...filters, ...changed }), true)
  return (
    <div class="row" role="search">
      <SearchField label={t.users.search} q={filters.q} onSearch={(q) => set({ q })} />
      <FilterSelect
        label={t.users.columns.role}
        names={[...new Set(['', ...roles, filters.role])]}
        chosen={filters.role}
        words={(role) => (role === '' ? t.users.anyRole : role)}
        onChoose={(role) => set({ role })}
      />
      <FilterSelect
        label={t.users.columns.state}
        names={[undefined, ...STATES]}
        chosen={filters.state}
        words={(state) => t.users.states[state ?? 'all']}
        onChoose={(state) => set({ state })}
      />
    </div>
  )
}
