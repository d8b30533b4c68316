import { useSignal } from '@preact/signals'
import type { ComponentProps } from 'preact'

import { api, type Invitation } from '../../api'
import { t } from '../../language/language'
import { useAttempt } from '../../parts/attempt'
import { Button } from '../../parts/button'
import { Card } from '../../parts/card'
import { InviteForm } from '../../parts/invite-form'
import { useKeptFocus, useOpenedFocus } from '../../parts/focus'
import { ProblemNote } from '../../parts/note'
import { Listed, usePages } from '../../parts/pages'
import { may, reasonFor } from '../../parts/service-rights'
import { say } from '../../parts/toast'
import { useNames } from '../../parts/use-names'

/** Invitations: list, create, withdraw. */
export const InvitationsCard = () => {
  const off = reasonFor('user:invite')
  const isMaking = useSignal(false)
  const made = useSignal(0)
  return (
    <Card
      title={t.users.invitations.title}
      actions={
        <Button icon="add" off={off} expanded={isMaking.value} onPress={() => (isMaking.value = !isMaking.value)}>
          {t.users.invitations.invite}
        </Button>
      }
    >
      <div class="body stack">
        <p class="hint">{t.users.invitations.lead}</p>
        {isMaking.value && <Inviting off={off} onMade={() => (made.value += 1)} />}
      </div>
      {may('user:invite') && <Invitations made={made.value} />}
    </Card>
  )
}

const Inviting = (props: ComponentProps<typeof InviteForm>) => (
  <div ref={useOpenedFocus<HTMLDivElement>()}>
    <InviteForm {...props} />
  </div>
)

const BADGES = { open: 'lit', accepted: 'allow', withdrawn: 'paused', expired: 'paused', lapsed: 'deny' } as const

const Invitations = ({ made }: { readonly made: number }) => {
  const list = usePages(
    (from, options) => api.listInvitations({ limit: 10, count: true, ...from }, options).page(),
    [made],
  )
  const { busy, problem, attempt } = useAttempt()
  const { items } = list.state.value
  const keptFocus = useKeptFocus<HTMLUListElement>()
  const nameOf = useNames(items.map(({ invited_by: by }) => by))
  const lookAgain = () => {
    problem.value = null
    return list.again()
  }
  const withdraw = (invitation: Invitation) =>
    attempt(async () => {
      await api.withdrawInvitation(invitation.id)
      list.put([{ ...invitation, state: 'withdrawn' }])
      say(t.users.invitations.withdrawn(invitation.email))
    })
  return (
    <>
      <ProblemNote problem={problem.value} onRetry={lookAgain} />
      <Listed list={list} empty={<p>{t.users.invitations.none}</p>}>
        <div class="body">
          <ul class="items" {...keptFocus}>
            {items.map((invitation) => {
              const { id, email, role, invited_by: by, state, created_at: time, expires_at: until } = invitation
              return (
                <li key={id}>
                  <div>
                    <span class="row">
                      <strong>{email}</strong>
                      <span class={`badge ${BADGES[state]}`}>{t.users.invitations.states[state]}</span>
                    </span>
                    <div class="caption">
                      {t.users.invitations.as(role, nameOf(by))} · {t.users.invitations.made(time)} ·{' '}
                      {t.users.invitations.until(until)}
                    </div>
                    {state === 'lapsed' && <div class="caption">{t.users.invitations.lapsed}</div>}
                  </div>
                  {(state === 'open' || state === 'lapsed') && (
                    <Button
                      kind="risk"
                      busy={busy.value}
                      label={t.users.invitations.withdrawOne(email)}
                      onPress={() => withdraw(invitation)}
                    >
                      {t.users.invitations.withdraw}
                    </Button>
                  )}
                </li>
              )
            })}
          </ul>
        </div>
      </Listed>
    </>
  )
}
