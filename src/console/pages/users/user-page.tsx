import { useSignal } from '@preact/signals'
import { useRoute } from 'preact-iso/router'

import { api, type User } from '../../api'
import { date } from '../../language/format'
import { t } from '../../language/language'
import { userId } from '../../session'
import { useAttempt } from '../../parts/attempt'
import { Button } from '../../parts/button'
import { Card } from '../../parts/card'
import { Fact } from '../../parts/fact'
import { LoadingPage } from '../../parts/loading-page'
import { useLoaded } from '../../parts/loaded'
import { ProblemNote } from '../../parts/note'
import { Page } from '../../parts/page'
import { say, undone } from '../../parts/toast'
import { useLateRoute } from '../../parts/use-late-route'
import { DecisionsCard } from './decisions-card'
import { DeleteDialog } from './delete-dialog'
import { RightsCard } from './rights-card'
import { RoleDialog } from './role-dialog'
import { useUserRights } from './use-user-rights'
import { UserLinksCard } from './user-links-card'
import { UserState } from './user-state'

/** One user: profile, rights, links, and decisions about them. */
export const UserPage = () => {
  const id = useRoute().params['name'] ?? ''
  const loaded = useLoaded((signal) => api.getUser(id, { signal }), [id, undone.value])
  const { value: user, problem } = loaded
  if (user !== null && user.id === id && problem === null)
    return <Known key={user.id} user={user} onChange={loaded.put} />
  return <LoadingPage title={t.nav.users} of={loaded} back={{ href: '/console/users', words: t.users.back }} />
}

const Known = ({ user, onChange }: { readonly user: User; readonly onChange: (user: User) => unknown }) => {
  const { id, name, email, role, suspended, created_at: since } = user
  const lateRoute = useLateRoute()
  const rights = useUserRights()
  const asks = useSignal<'role' | 'delete' | null>(null)
  const { busy, problem, attempt } = useAttempt()
  const close = () => (asks.value = null)
  const suspend = async (to: boolean): Promise<void> => {
    void onChange(await api.updateUser(id, { suspended: to }))
    if (to) say(t.users.suspendedNow(1), () => suspend(false))
    else say(t.users.isBack(1))
  }
  const isSelf = id === userId()
  return (
    <Page
      title={name}
      heading={<bdi>{name}</bdi>}
      actions={
        <>
          <Button icon="key" off={rights.offFor('role', user)} onPress={() => (asks.value = 'role')}>
            {t.users.changeRole}
          </Button>
          <Button
            icon={suspended ? 'play' : 'pause'}
            busy={busy.value}
            off={rights.offFor(suspended ? 'reactivate' : 'suspend', user)}
            onPress={() => attempt(() => suspend(!suspended))}
          >
            {suspended ? t.users.reactivate : t.users.suspend}
          </Button>
          <Button kind="risk" icon="trash" off={rights.offFor('delete', user)} onPress={() => (asks.value = 'delete')}>
            {t.links.delete}
          </Button>
        </>
      }
    >
      <ProblemNote problem={problem.value} />
      <Card title={t.users.account}>
        <dl class="facts body">
          <Fact name={t.users.facts.email}>{email}</Fact>
          <Fact name={t.users.columns.role}>
            <code>{role}</code>
          </Fact>
          <Fact name={t.users.columns.state}>
            <UserState user={user} />
          </Fact>
          <Fact name={t.users.columns.since}>{date(since)}</Fact>
          <div>
            <dt>{t.users.facts.id}</dt>
            <dd class="mono">{id}</dd>
          </div>
        </dl>
      </Card>
      <RightsCard user={user} />
      <div class="halves">
        <UserLinksCard id={id} isSelf={isSelf} />
        <DecisionsCard id={id} />
      </div>
      <p>
        <a href="/console/users">{t.users.back}</a>
      </p>
      {asks.value === 'role' && (
        <RoleDialog
          users={[user]}
          rights={rights}
          onChanged={([changed]) => changed !== undefined && onChange(changed)}
          onClose={close}
        />
      )}
      {asks.value === 'delete' && (
        <DeleteDialog user={user} onDeleted={() => lateRoute('/console/users', true)} onClose={close} />
      )}
    </Page>
  )
}
