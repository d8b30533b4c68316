import { api } from '../../api'
import { t } from '../../language/language'
import { useAttempt } from '../../parts/attempt'
import { Button } from '../../parts/button'
import { BusyBar } from '../../parts/busy-bar'
import { Card } from '../../parts/card'
import { useKeptFocus } from '../../parts/kept-focus'
import { LoadProblem } from '../../parts/load-problem'
import { useLoaded } from '../../parts/loaded'
import { ProblemNote } from '../../parts/note'
import { say } from '../../parts/toast'
import { signOut } from '../../session'

/** All browsers and programs where the user is signed in with their password. */
export const SignInsCard = () => {
  const { state, again } = useLoaded((signal) => api.listSignIns({ signal }), [])
  const { busy, problem, attempt } = useAttempt()
  const { value, problem: notLoaded, busy: isLoading, at } = state.value
  const keptFocus = useKeptFocus<HTMLUListElement>()
  const end = (id: string) =>
    attempt(async () => {
      await api.endSignIn(id)
      say(t.settings.signIns.ended)
      again()
    })
  return (
    <Card title={t.settings.signIns.title}>
      {isLoading && <BusyBar />}
      <div class="body stack">
        <p class="hint">{t.settings.signIns.lead}</p>
        {notLoaded !== null && <LoadProblem problem={notLoaded} seen={at} onRetry={again} />}
        {problem.value !== null && <ProblemNote problem={problem.value} />}
        <ul class="items" {...keptFocus}>
          {value?.data.map(({ id, started_at, last_used_at, expires_at, current }) => (
            <li key={id}>
              <div>
                <span class="row">
                  <strong>{t.settings.signIns.startedAt(started_at)}</strong>
                  {current && <span class="badge">{t.settings.signIns.here}</span>}
                </span>
                <div class="caption">
                  {t.settings.signIns.lastUsed(last_used_at)} · {t.settings.signIns.endsAt(expires_at)}
                </div>
              </div>
              {current ? (
                <Button icon="out" onPress={() => attempt(signOut)}>
                  {t.signOut}
                </Button>
              ) : (
                <Button
                  kind="risk"
                  busy={busy.value}
                  label={t.settings.signIns.endOne(started_at)}
                  onPress={() => end(id)}
                >
                  {t.settings.signIns.end}
                </Button>
              )}
            </li>
          ))}
        </ul>
      </div>
    </Card>
  )
}
