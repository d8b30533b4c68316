import { useSignal } from '@preact/signals'
import { useLocation } from 'preact-iso/router'

import { api, type User } from '../../api'
import { signInWay } from '../../issuer'
import { t } from '../../language/language'
import { useKeptFocus } from '../../parts/focus'
import { NothingFound } from '../../parts/nothing-found'
import { Page } from '../../parts/page'
import { Listed, usePages } from '../../parts/pages'
import { SelectAll, useSelection } from '../../parts/selection'
import { may, reasonFor } from '../../parts/service-rights'
import { say, sayIfRefused } from '../../parts/toast'
import { useTableKeys } from '../../parts/use-table-keys'
import { changeUsers } from './change-users'
import { DeleteDialog } from './delete-dialog'
import { InvitationsCard } from './invitations-card'
import { RoleDialog } from './role-dialog'
import { UserBulkBar } from './user-bulk-bar'
import { UserFilterBar, isFiltered, queryOf, userFiltersIn } from './user-filters'
import { UserRow } from './user-row'
import { useUserRights } from './use-user-rights'

/** All users: search, roles, suspension, deletion, invitation. */
export const UsersPage = () => {
  // an external issuer manages accounts itself
  const hasInvitations = signInWay === 'password'
  const onlyInvites = hasInvitations && may('user:invite') && reasonFor('user:read') !== null
  return (
    <Page title={t.nav.users}>
      <p class="lead">{t.users.lead}</p>
      {!onlyInvites && <UserList isLast={!hasInvitations} />}
      {hasInvitations && <InvitationsCard />}
    </Page>
  )
}

const UserList = ({ isLast }: { readonly isLast: boolean }) => {
  const { query } = useLocation()
  const filters = userFiltersIn(query)
  const { q, role, state } = filters
  const list = usePages(
    (from, options) => api.listUsers({ limit: 50, count: true, ...queryOf(filters), ...from }, options).page(),
    [q, role, state],
  )
  const { items } = list.state.value
  const keptFocus = useKeptFocus<HTMLTableSectionElement>()
  const rights = useUserRights()
  const selection = useSelection(items)
  const givingRole = useSignal<User | null>(null)
  const deleting = useSignal<User | null>(null)
  const { value: leaving } = deleting

  const drop = (ids: ReadonlySet<string>) => {
    list.remove(({ id }) => ids.has(id))
    selection.drop(ids)
  }
  const suspend = async (id: User['id'], suspended: boolean): Promise<void> => {
    const { done, gone, problem: refused } = await changeUsers([{ id }], { suspended })
    list.put(done)
    drop(gone)
    if (refused !== null) throw refused
    if (suspended) say(t.users.suspendedNow(1), () => suspend(id, false))
    else say(t.users.isBack(1))
  }
  useTableKeys(keptFocus.ref, selection)
  return (
    <>
      <UserFilterBar filters={filters} />
      <div class="card">
        {selection.chosen.length > 0 && (
          <UserBulkBar
            selected={selection.chosen}
            rights={rights}
            onChanged={list.put}
            onGone={drop}
            onClear={selection.clear}
          />
        )}
        <Listed
          list={list}
          words={t.users.shown}
          isLast={isLast}
          empty={
            isFiltered(filters) ? <NothingFound text={t.users.nothing} to="/console/users" /> : <p>{t.users.none}</p>
          }
        >
          <table class="table links people">
            <thead>
              <tr>
                <SelectAll of={selection} />
                <th scope="col">{t.users.columns.user}</th>
                <th scope="col">{t.users.columns.role}</th>
                <th scope="col">{t.users.columns.state}</th>
                <th scope="col">{t.users.columns.since}</th>
                <th scope="col">
                  <span class="unseen">{t.users.columns.actions}</span>
                </th>
              </tr>
            </thead>
            <tbody {...keptFocus}>
              {items.map((each) => (
                <UserRow
                  key={each.id}
                  user={each}
                  rights={rights}
                  selection={selection}
                  onRole={(user) => (givingRole.value = user)}
                  onSuspend={({ id, suspended }) => sayIfRefused(() => suspend(id, !suspended))}
                  onDelete={(user) => (deleting.value = user)}
                />
              ))}
            </tbody>
          </table>
        </Listed>
      </div>
      {givingRole.value !== null && (
        <RoleDialog
          users={[givingRole.value]}
          rights={rights}
          onChanged={list.put}
          onGone={drop}
          onClose={() => (givingRole.value = null)}
        />
      )}
      {leaving !== null && (
        <DeleteDialog
          user={leaving}
          onDeleted={() => {
            deleting.value = null
            drop(new Set([leaving.id]))
          }}
          onGone={() => drop(new Set([leaving.id]))}
          onClose={() => (deleting.value = null)}
        />
      )}
    </>
  )
}
