import { dateAndSeconds, number } from '../../language/format'
import { t } from '../../language/language'
import { Button } from '../../parts/button'
import { Card } from '../../parts/card'
import { Note, ProblemNote } from '../../parts/note'
import type { Verdict } from '../../api'
import { useVerification } from './use-verification'

/** Verifies the whole log with visible progress, and shows the result. */
export const VerificationCard = ({
  off,
  onVerdict,
}: {
  readonly off: string | null
  readonly onVerdict: () => unknown
}) => {
  const { state, start, stop } = useVerification(onVerdict)
  const { value } = state
  const isRunning = value.is === 'running'
  return (
    <Card
      title={t.proof.verification}
      actions={
        isRunning ? (
          <Button icon="close" onPress={stop}>
            {t.stop}
          </Button>
        ) : (
          <Button icon="shield" off={off} onPress={start}>
            {t.proof.verify}
          </Button>
        )
      }
    >
      <div class="body stack">
        {value.is === 'none' && <p class="lead">{t.proof.verifyHint}</p>}
        {value.is === 'stopped' && <Note title={t.proof.stopped}>{t.proof.noVerdict}</Note>}
        {value.is === 'broke off' && (
          <Note kind="deny" title={t.proof.brokeOff}>
            {t.proof.noVerdict}
          </Note>
        )}
        {value.is === 'refused' &&
          (value.problem.code === 'exports_busy' ? (
            <Note kind="deny" title={t.proof.busy}>
              {t.proof.busyHint}
            </Note>
          ) : (
            <ProblemNote problem={value.problem} />
          ))}
        {value.is === 'running' && (
          <>
            <p class="answer" id="verified">
              {value.of === null ? t.proof.beginning : t.proof.progress(number(value.done), number(value.of))}
            </p>
            <progress
              aria-labelledby="verified"
              {...(value.of !== null && { value: value.done, max: Math.max(value.of, 1) })}
            />
            <p class="caption">{t.proof.since(dateAndSeconds(value.since))}</p>
          </>
        )}
        {value.is === 'done' && <Found verdict={value.verdict} at={value.at} />}
      </div>
    </Card>
  )
}

const Found = ({ verdict, at }: { readonly verdict: Verdict; readonly at: Date }) => {
  const { whole, entries, chains, retired, checkpoint, faults, faults_found: found } = verdict
  const facts = t.proof.walked(entries, chains, retired)
  const signed = checkpoint === null ? t.proof.noCheckpoint : t.proof.signedUpTo(dateAndSeconds(checkpoint))
  return (
    <Note kind={whole ? 'allow' : 'deny'} title={whole ? t.proof.whole : t.proof.notWhole(found)}>
      <p>
        {facts} {signed}
      </p>
      {faults.length > 0 && (
        <ul class="found">
          {faults.map((fault) => (
            <li key={JSON.stringify(fault)}>{t.proof.fault(fault)}</li>
          ))}
        </ul>
      )}
      {found > faults.length && <p>{t.proof.moreFaults(number(found - faults.length))}</p>}
      <p class="caption">{dateAndSeconds(at)}</p>
    </Note>
  )
}
