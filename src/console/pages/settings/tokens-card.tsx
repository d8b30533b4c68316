import { useSignal } from '@preact/signals'

import { ACTIONS, isServiceAction } from '../../../domain/action.js'
import { api } from '../../api'
import { t } from '../../language/language'
import { Button } from '../../parts/button'
import { BusyBar } from '../../parts/busy-bar'
import { Card } from '../../parts/card'
import { Confirm } from '../../parts/confirm'
import { Dialog } from '../../parts/dialog'
import { useKeptFocus } from '../../parts/focus'
import { LoadProblem } from '../../parts/load-problem'
import { ifGone, useLoaded } from '../../parts/loaded'
import { SecretField } from '../../parts/secret-field'
import { say } from '../../parts/toast'
import { NewTokenForm, type MadeToken } from './new-token-form'

type Token = Awaited<ReturnType<typeof api.listPersonalTokens>>['data'][number]

/** Personal tokens: list, create, revoke. */
export const TokensCard = () => {
  const loaded = useLoaded((signal) => api.listPersonalTokens({ signal }), [])
  const isMaking = useSignal(false)
  const made = useSignal<MadeToken | null>(null)
  const revoking = useSignal<Token | null>(null)
  const { value, busy, again } = loaded
  const revoke = async ({ id, name }: Token) => {
    await api.revokePersonalToken(id).catch(ifGone(again))
    say(t.settings.tokens.revoked(name))
    revoking.value = null
    again()
  }
  const keptFocus = useKeptFocus<HTMLUListElement>()
  return (
    <Card
      title={t.settings.tokens.title}
      actions={
        <Button icon="add" expanded={isMaking.value} onPress={() => (isMaking.value = !isMaking.value)}>
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
      {/* only its own button closes it: neither Escape nor a press elsewhere */}
      {made.value !== null && (
        <Dialog title={t.settings.tokens.secretTitle}>
          <p>{t.settings.tokens.secretLead(made.value.name)}</p>
          <SecretField label={t.settings.tokens.secret} text={made.value.token}>
            <Button onPress={() => (made.value = null)}>{t.settings.tokens.secretDone}</Button>
          </SecretField>
        </Dialog>
      )}
      {revoking.value !== null && (
        <Confirm
          title={t.settings.tokens.revokeTitle(revoking.value.name)}
          lead={t.settings.tokens.revokeLead}
          yes={t.settings.tokens.revoke}
          onYes={() => revoking.value && revoke(revoking.value)}
          onNo={() => (revoking.value = null)}
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
      <strong>
        <bdi>{token.name}</bdi>
      </strong>
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
