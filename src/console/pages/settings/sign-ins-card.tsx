import { api } from '../../api'
import { t } from '../../language/language'
import { useAttempt } from '../../parts/attempt'
import { Button } from '../../parts/button'
import { BusyBar } from '../../parts/busy-bar'
import { Card } from '../../parts/card'
import { useKeptFocus } from '../../parts/focus'
import { leave } from '../../parts/leave'
import { LoadProblem } from '../../parts/load-problem'
import { ifGone, useLoaded } from '../../parts/loaded'
import { ProblemNote } from '../../parts/note'
import { say } from '../../parts/toast'

/** All browsers and programs where the user is signed in with their password. */
export const SignInsCard = () => {
  const loaded = useLoaded((signal) => api.listSignIns({ signal }), [])
  const { busy, problem, attempt } = useAttempt()
  const keptFocus = useKeptFocus<HTMLUListElement>()
  const end = (id: string) =>
    attempt(async () => {
      await api.endSignIn(id).catch(ifGone(loaded.again))
      say(t.settings.signIns.ended)
      loaded.again()
    })
  return (
    <Card title={t.settings.signIns.title}>
      {loaded.busy && <BusyBar />}
      <div class="body stack">
        <p class="hint">{t.settings.signIns.lead}</p>
        <LoadProblem of={loaded} />
        <ProblemNote problem={problem.value} />
        <ul class="items" {...keptFocus}>
          {loaded.value?.data.map(({ id, started_at, last_used_at, expires_at, current }) => (
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
                <Button icon="out" onPress={leave}>
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
