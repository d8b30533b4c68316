import { useSignal } from '@preact/signals'
import { useLocation } from 'preact-iso/router'
import { useRef } from 'preact/hooks'

import { api } from '../../api'
import type { LinkgateProblem, User } from '../../api'
import { signInWay } from '../../issuer'
import { t } from '../../language/language'
import { Button } from '../../parts/button'
import { problemIn } from '../../parts/loaded'
import { ProblemNote } from '../../parts/note'
import { Page } from '../../parts/page'
import { ListFoot, usePages } from '../../parts/pages'
import { say } from '../../parts/toast'
import { DeleteDialog } from './delete-dialog'
import { InvitationsCard } from './invitations-card'
import { RoleDialog } from './role-dialog'
import { UserBulkBar } from './user-bulk-bar'
import { UserFilterBar, isFiltered, queryOf, userFiltersIn } from './user-filters'
import { UserRow } from './user-row'
import { useUserRights } from './use-user-rights'

/** Who has an account: found, given roles, suspended, deleted, invited. */
export const UsersPage = () => {
  const { query, route } = useLocation()
  const filters = userFiltersIn(query)
  const { q, role, state } = filters
  const list = usePages(
    (cursor, signal) =>
      api
        .listUsers({ limit: 50, count: true, ...queryOf(filters), ...(cursor !== undefined && { cursor }) }, { signal })
        .page(),
    [q, role, state],
  )
  const { items } = list.state.value
  const rights = useUserRights()
  const problem = useSignal<LinkgateProblem | null>(null)
  const selected = useSignal<ReadonlySet<string>>(new Set())
  const lastSelected = useRef<string | null>(null)
  const givingRole = useSignal<User | null>(null)
  const deleting = useSignal<User | null>(null)

  const put = (users: readonly User[]) => {
    const byId = new Map(users.map((user) => [user.id, user]))
    list.replace(
      ({ id }) => byId.has(id),
      (user) => byId.get(user.id) ?? user,
    )
  }
  const suspend = async (id: string, suspended: boolean): Promise<void> => {
    problem.value = null
    try {
      put([await api.updateUser(id, { suspended })])
      if (suspended) say(t.users.suspendedNow(1), () => suspend(id, false))
      else say(t.users.isBack(1))
    } catch (error) {
      problem.value = problemIn(error)
    }
  }
  const select = ({ id }: User, isSelected: boolean, withShift: boolean) => {
    const from = items.findIndex((other) => other.id === lastSelected.current)
    const to = items.findIndex((other) => other.id === id)
    const range = withShift && from >= 0 ? items.slice(Math.min(from, to), Math.max(from, to) + 1) : [{ id }]
    const chosen = new Set(selected.value)
    for (const each of range) chosen[isSelected ? 'add' : 'delete'](each.id)
    selected.value = chosen
    lastSelected.current = id
  }
  const clear = () => {
    selected.value = new Set()
  }
  const chosen = items.filter(({ id }) => selected.value.has(id))
  return (
    <Page title={t.users.title}>
      <div class="stack">
        <p class="lead">{t.users.lead}</p>
        <UserFilterBar filters={filters} />
        {problem.value !== null && <ProblemNote problem={problem.value} />}
        <div
          class="card"
          onKeyDown={({ key, target }) => {
            if (key === 'Escape' && !(target instanceof Element && target.closest('dialog'))) clear()
          }}
        >
          {chosen.length > 0 && <UserBulkBar selected={chosen} rights={rights} onChanged={put} onClear={clear} />}
          {items.length > 0 && (
            <table class="table links people">
              <thead>
                <tr>
                  <th scope="col" class="select-cell">
                    <input
                      type="checkbox"
                      aria-label={t.links.selectAll}
                      checked={chosen.length === items.length}
                      onChange={({ currentTarget: { checked } }) =>
                        (selected.value = new Set(checked ? items.map(({ id }) => id) : []))
                      }
                    />
                  </th>
                  <th scope="col">{t.users.columns.user}</th>
                  <th scope="col">{t.users.columns.role}</th>
                  <th scope="col">{t.users.columns.state}</th>
                  <th scope="col">{t.users.columns.since}</th>
                  <th scope="col">
                    <span class="unseen">{t.users.columns.actions}</span>
                  </th>
                </tr>
              </thead>
              <tbody>
                {items.map((each) => (
                  <UserRow
                    key={each.id}
                    user={each}
                    rights={rights}
                    isSelected={selected.value.has(each.id)}
                    onSelect={select}
                    onRole={(user) => (givingRole.value = user)}
                    onSuspend={({ id, suspended }) => suspend(id, !suspended)}
                    onDelete={(user) => (deleting.value = user)}
                  />
                ))}
              </tbody>
            </table>
          )}
          <ListFoot
            list={list}
            words={t.users.shown}
            empty={
              isFiltered(filters) ? (
                <>
                  <p>{t.users.nothing}</p>
                  <Button kind="bare" onPress={() => route('/console/users', true)}>
                    {t.links.clearFilters}
                  </Button>
                </>
              ) : (
                <p>{t.users.none}</p>
              )
            }
          />
        </div>
        {/* an issuer of somebody else knows who has an account */}
        {signInWay === 'password' && <InvitationsCard />}
      </div>
      {givingRole.value !== null && (
        <RoleDialog
          users={[givingRole.value]}
          rights={rights}
          onChanged={put}
          onClose={() => (givingRole.value = null)}
        />
      )}
      {deleting.value !== null && (
        <DeleteDialog
          user={deleting.value}
          onDeleted={() => {
            const id = deleting.value?.id
            deleting.value = null
            list.remove((each) => each.id === id)
          }}
          onClose={() => (deleting.value = null)}
        />
      )}
    </Page>
  )
}
