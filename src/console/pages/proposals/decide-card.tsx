import { useSignal, type Signal } from '@preact/signals'

import { api } from '../../api'
import { number } from '../../language/format'
import { t } from '../../language/language'
import { userId } from '../../session'
import { useAttempt } from '../../parts/attempt'
import { Button } from '../../parts/button'
import { Card } from '../../parts/card'
import { handleSubmit } from '../../parts/form'
import { ProblemNote } from '../../parts/note'
import { useLeftFocus } from '../../parts/focus'
import { ReasonField } from '../../parts/reason-field'
import { reasonFor } from '../../parts/service-rights'
import { say } from '../../parts/toast'

/** Approves or declines an open proposal; its own maker withdraws it. */
export const DecideCard = ({
  id,
  madeBy,
  against,
  reason,
  onDecided,
}: {
  readonly id: string
  /** the user's id; null: the command line */
  readonly madeBy: string | null
  /** the revision that it is compared with, and whether something prevents an approval */
  readonly against: { readonly revision: number; readonly isBlocked: boolean }
  /** as it is typed */
  readonly reason: Signal<string>
  /** called even if it was refused: somebody else may have decided, or edited the policy */
  readonly onDecided: () => unknown
}) => {
  const form = useLeftFocus<HTMLFormElement>()
  const work = useSignal<'approve' | 'decline' | 'withdraw' | null>(null)
  const { busy, problem, attempt } = useAttempt()
  const isMine = madeBy !== null && madeBy === userId()
  const off = reasonFor('policy:write') ?? (isMine ? t.proposals.own : null)
  const approveOff = off ?? (against.isBlocked ? t.proposals.blocked : null)
  const typed = reason.value.trim()
  const decide = async (which: 'approve' | 'decline' | 'withdraw', ask: () => Promise<unknown>, said: string) => {
    if (busy.peek()) return
    work.value = which
    if (await attempt(ask)) say(said)
    void onDecided()
  }
  const approve = () =>
    decide(
      'approve',
      () => api.approvePolicyProposal(id, typed === '' ? {} : { reason: typed }, { ifMatch: `"${against.revision}"` }),
      t.proposals.approved(number(against.revision + 1)),
    )
  const decline = () => decide('decline', () => api.declinePolicyProposal(id, { reason: typed }), t.proposals.declined)
  const withdraw = () => decide('withdraw', () => api.withdrawPolicyProposal(id), t.proposals.withdrawn)
  return (
    <Card title={t.proposals.decide}>
      <form ref={form} class="body stack" onSubmit={handleSubmit(() => approveOff === null && approve())}>
        <ProblemNote problem={problem.value} />
        {off === null && (
          <ReasonField
            label={t.proposals.reason}
            hint={t.proposals.reasonHint}
            problem={problem.value}
            value={reason.value}
            onType={(text) => (reason.value = text)}
          />
        )}
        <div class="row">
          <Button kind="main" type="submit" icon="check" busy={busy.value && work.value === 'approve'} off={approveOff}>
            {t.proposals.approve(number(against.revision + 1))}
          </Button>
          <Button
            kind="risk"
            icon="deny"
            busy={busy.value && work.value === 'decline'}
            off={off ?? (typed === '' ? t.proposals.sayWhy : null)}
            onPress={decline}
          >
            {t.proposals.decline}
          </Button>
          {isMine && (
            <Button icon="restore" busy={busy.value && work.value === 'withdraw'} onPress={withdraw}>
              {t.proposals.withdraw}
            </Button>
          )}
        </div>
      </form>
    </Card>
  )
}
