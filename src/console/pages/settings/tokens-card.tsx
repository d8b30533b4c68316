import { useSignal } from '@preact/signals'

import { ACTIONS, isServiceAction } from '../../../domain/action.js'
import { api } from '../../api'
import { t } from '../../language/language'
import { useAttempt } from '../../parts/attempt'
import { Button } from '../../parts/button'
import { BusyBar } from '../../parts/busy-bar'
import { Card } from '../../parts/card'
import { Dialog } from '../../parts/dialog'
import { useKeptFocus } from '../../parts/kept-focus'
import { LoadProblem } from '../../parts/load-problem'
import { useLoaded } from '../../parts/loaded'
import { ProblemNote } from '../../parts/note'
import { say } from '../../parts/toast'
import { NewTokenForm } from './new-token-form'
import type { MadeToken } from './new-token-form'
import { SecretDialog } from './secret-dialog'

type Token = Awaited<ReturnType<typeof api.listPersonalTokens>>['data'][number]

/** Personal tokens: list, create, revoke. */
export const TokensCard = () => {
  const loaded = useLoaded((signal) => api.listPersonalTokens({ signal }), [])
  const isMaking = useSignal(false)
  const made = useSignal<MadeToken | null>(null)
  const revoking = useSignal<Token | null>(null)
  const { value, busy, again } = loaded
  const keptFocus = useKeptFocus<HTMLUListElement>()
  return (
    <Card
      title={t.settings.tokens.title}
      actions={
        <Button icon="add" expanded={isMaking.value} onPress={() => (isMaking.value = true)}>
          {t.settings.tokens.add}
        </Button>
      }
    >
      {busy && <BusyBar />}
      <div class="body stack">
        <p class="hint">{t.settings.tokens.lead}</p>
        <LoadProblem of={loaded} />
        {isMaking.value && (
          <NewTokenForm
            onCancel={() => (isMaking.value = false)}
            onMade={(token) => {
              made.value = token
              isMaking.value = false
              again()
            }}
          />
        )}
        {value?.data.length === 0 && !isMaking.value && <p>{t.settings.tokens.empty}</p>}
        <ul class="items" {...keptFocus}>
          {value?.data.map((token) => (
            <TokenItem key={token.id} token={token} onRevoke={() => (revoking.value = token)} />
          ))}
        </ul>
      </div>
      {made.value !== null && <SecretDialog token={made.value} onDone={() => (made.value = null)} />}
      {revoking.value !== null && (
        <RevokeDialog
          token={revoking.value}
          onClose={() => (revoking.value = null)}
          onRevoked={() => {
            revoking.value = null
            again()
          }}
        />
      )}
    </Card>
  )
}

/** The rights of a token, in words. A scope that only the command line gives out is shown by its name. */
const mayOf = (scopes: readonly string[]): string => {
  if (scopes.length === 0) return t.settings.tokens.mayNothing
  if (ACTIONS.every((scope) => scopes.includes(scope))) return t.settings.tokens.mayAll
  const words = scopes.map((scope) => (isServiceAction(scope) ? t.settings.scopes[scope] : scope))
  return `${t.settings.tokens.may}: ${words.join(', ')}`
}

const TokenItem = ({ token, onRevoke }: { readonly token: Token; readonly onRevoke: () => unknown }) => (
  <li>
    <div>
      <strong>{token.name}</strong>
      <div>{mayOf(token.scopes)}</div>
      <div class="caption">
        {[
          t.settings.tokens.madeAt(token.created_at),
          t.settings.tokens.lastUsed(token.last_used_at),
          t.settings.tokens.endsAt(token.expires_at),
        ].join(' · ')}
      </div>
    </div>
    <Button kind="risk" label={t.settings.tokens.revokeOne(token.name)} onPress={onRevoke}>
      {t.settings.tokens.revoke}
    </Button>
  </li>
)

/** Asks for confirmation, because it cannot be undone. */
const RevokeDialog = ({
  token,
  onClose,
  onRevoked,
}: {
  readonly token: Token
  readonly onClose: () => unknown
  readonly onRevoked: () => unknown
}) => {
  const { busy, problem, attempt } = useAttempt()
  const revoke = () =>
    attempt(async () => {
      await api.revokePersonalToken(token.id)
      say(t.settings.tokens.revoked(token.name))
      onRevoked()
    })
  return (
    <Dialog title={t.settings.tokens.revokeTitle(token.name)} onClose={onClose}>
      <p>{t.settings.tokens.revokeLead}</p>
      <ProblemNote problem={problem.value} />
      <div class="row">
        <Button kind="risk" busy={busy.value} onPress={revoke}>
          {t.settings.tokens.revoke}
        </Button>
        <Button onPress={onClose}>{t.cancel}</Button>
      </div>
    </Dialog>
  )
}
