import { useSignal } from '@preact/signals'
import { useEffect, useRef, useState } from 'preact/hooks'

import type { LinkgateProblem } from '../api'
import { t } from '../language/language'
import type { Loaded } from './loaded'
import { Note, ProblemNote, Retry } from './note'
import { countDownOrOnline } from './reconnect'

/** Why the last load failed, if it did. Without a connection it is repeated by itself. */
export const LoadProblem = ({
  of: { problem, at, again },
}: {
  /** `at`: when what is still shown was loaded; null: nothing is shown */
  readonly of: Pick<Loaded<unknown>, 'problem' | 'at'> & { readonly again: () => unknown }
}) => {
  if (problem?.code === 'network_error') return <LostNote problem={problem} seen={at} onRetry={again} />
  return <ProblemNote problem={problem} onRetry={again} />
}

/** Stays while one attempt after another fails, each with a `problem` of its own. */
const LostNote = ({
  problem,
  seen,
  onRetry,
}: {
  readonly problem: LinkgateProblem
  /** when what is still shown was loaded; null: nothing is shown */
  readonly seen: Date | null
  readonly onRetry: () => unknown
}) => {
  const [since] = useState(() => new Date())
  const failed = useRef(0)
  /** seconds; null: it is being loaded */
  const againIn = useSignal<number | null>(null)
  const retry = useRef(onRetry)
  retry.current = onRetry
  useEffect(() => {
    const ended = new AbortController()
    const run = async () => {
      await countDownOrOnline(failed.current, ended.signal, (left) => (againIn.value = left))
      if (ended.signal.aborted) return
      failed.current += 1
      againIn.value = null
      void retry.current()
    }
    void run()
    return () => ended.abort()
  }, [problem])
  return (
    <Note kind="deny" title={t.lost.since(since)}>
      {/* would be read out every second */}
      <span role="timer">{t.lost.again(since, seen, againIn.value)}</span>
      <Retry onRetry={onRetry} />
    </Note>
  )
}
