import type { Signal } from '@preact/signals'

import { dateAndTime, number } from '../../language/format'
import { t } from '../../language/language'
import { Button } from '../button'
import { Card } from '../card'
import { useKeptFocus } from '../focus'
import { LoadProblem } from '../load-problem'
import { Verdict } from '../matrix/verdict'
import { Note } from '../note'
import { Segments } from '../segments'
import { useNames } from '../use-names'
import { WINDOWS, together, type Replayed, type Window } from './replays'
import type { ReplayJob } from './use-replay'

/** How many users are named. */
const MOST_NAMED = 5

/** How many real decisions would change, for whom, and the newest of them. */
export const ReplayCard = ({
  job,
  window,
  off,
}: {
  readonly job: ReplayJob
  readonly window: Signal<Window>
  /** why there is nothing to count; null if there is */
  readonly off: string | null
}) => {
  const { parts, of, phase, problem } = job.state.value
  const replayed = together(parts)
  return (
    <Card
      title={t.propose.replay}
      actions={
        <Segments
          label={t.propose.windowLabel}
          names={WINDOWS}
          chosen={window.value}
          words={(each) => t.propose.windows[each]}
          onChoose={(each) => (window.value = each)}
        />
      }
    >
      <div class="body stack" {...useKeptFocus<HTMLDivElement>()}>
        {off !== null ? (
          <p class="hint">{off}</p>
        ) : (
          <>
            {problem?.code === 'validation_failed' && problem.errors.some(({ field }) => field === 'replay') ? (
              <TooLong window={window} />
            ) : (
              <LoadProblem of={{ problem, at: null, again: job.again }} />
            )}
            {phase === 'counting' && (
              <div class="progress">
                <progress max={of} value={parts.length} aria-label={t.propose.counting} />
                <div class="row">
                  <p role="status">{of > 1 ? t.propose.counted(parts.length, of) : t.propose.counting}</p>
                  <Button onPress={job.stop}>{t.stop}</Button>
                </div>
              </div>
            )}
            {phase === 'stopped' && problem === null && (
              <div class="row">
                <p>{t.propose.stopped}</p>
                <Button onPress={job.again}>{t.propose.goOn}</Button>
              </div>
            )}
            {parts.length > 0 && <Outcome replayed={replayed} window={window.value} isWhole={phase === 'done'} />}
          </>
        )}
      </div>
    </Card>
  )
}

/** More decisions were recorded than one request can read. */
const TooLong = ({ window }: { readonly window: Signal<Window> }) => {
  const shorter = WINDOWS[WINDOWS.indexOf(window.value) - 1]
  return (
    <Note kind="lit" title={t.propose.tooMany}>
      {shorter === undefined ? (
        t.propose.onlyByCommand
      ) : (
        <div class="row">
          <Button onPress={() => (window.value = shorter)}>{t.propose.shorter(t.propose.windows[shorter])}</Button>
        </div>
      )}
    </Note>
  )
}

const Outcome = ({
  replayed,
  window,
  isWhole,
}: {
  readonly replayed: Replayed
  readonly window: Window
  readonly isWhole: boolean
}) => {
  const { users, examples, considered, changed, byOtherRule, undetermined, isEverybody } = replayed
  const named = users.slice(0, MOST_NAMED)
  const nameOf = useNames([...named.map(({ id }) => id), ...examples.map(({ subject }) => subject.id)])
  return (
    <div class={isWhole ? 'stack' : 'stack stale'}>
      <p class="headline" role="status" tabIndex={-1}>
        {t.propose.headline(window, changed, considered)}
      </p>
      {changed > 0 && (
        <>
          <progress class="share" max={considered} value={changed} aria-hidden="true" />
          <p>
            {t.propose.turned(replayed.allowToDeny, replayed.denyToAllow, 0)}.{' '}
            {t.propose.whose(
              named.map(({ id, count }) => `${nameOf(id)} (${number(count)})`),
              isEverybody && users.length <= MOST_NAMED,
            )}
          </p>
        </>
      )}
      {byOtherRule > 0 && <p>{t.propose.byRule(byOtherRule)}</p>}
      {undetermined > 0 && <p>{t.propose.undetermined(undetermined)}</p>}
      {examples.length > 0 && (
        <div class="table-wrap" tabIndex={0} role="group" aria-label={t.propose.replay}>
          <table class="table">
            <thead>
              <tr>
                <th scope="col">{t.propose.when}</th>
                <th scope="col">{t.decisions.columns.who}</th>
                <th scope="col">{t.propose.asked}</th>
                <th scope="col">{t.propose.recorded}</th>
                <th scope="col">{t.propose.would}</th>
              </tr>
            </thead>
            <tbody>
              {examples.map((each) => (
                <tr key={`${each.request_id} ${each.time} ${each.resource.code}`}>
                  <td>
                    <a href={`/console/explain?request=${encodeURIComponent(each.request_id)}`}>
                      {dateAndTime(each.time)}
                    </a>
                  </td>
                  <td>
                    {nameOf(each.subject.id)} <span class="caption">{each.subject.role}</span>
                  </td>
                  <td>
                    <code>{each.action}</code> {each.resource.code}
                  </td>
                  <td>
                    <Verdict outcome={{ ...each.before, endpoint: 'allow' }} />
                  </td>
                  <td>{each.after !== null && <Verdict outcome={{ ...each.after, endpoint: 'allow' }} />}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      <p class="hint">{t.propose.exact}</p>
    </div>
  )
}
