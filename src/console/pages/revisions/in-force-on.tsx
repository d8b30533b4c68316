import { useSignal } from '@preact/signals'

import { dateAndTime, number } from '../../language/format'
import { t } from '../../language/language'
import { useAttempt } from '../../parts/attempt'
import { Button } from '../../parts/button'
import { Field } from '../../parts/field'
import { handleSubmit, textOf } from '../../parts/form'
import { LOCAL_TIME } from '../../parts/local-time'
import { Note, ProblemNote } from '../../parts/note'
import { revisionAt } from '../../parts/policy/revision-at'

/** What was in force at a moment. */
export const InForceOn = ({ onFound }: { readonly onFound: (revision: number) => unknown }) => {
  const answer = useSignal<string | null>(null)
  const { busy, problem, attempt } = useAttempt()
  const find = (time: string) =>
    attempt(async () => {
      answer.value = null
      const until = new Date(time)
      const found = await revisionAt(until)
      const words = until > new Date() ? t.revisions.inForceNow : t.revisions.wasInForce
      answer.value =
        found === undefined
          ? t.revisions.noneThen(dateAndTime(until))
          : words(dateAndTime(until), number(found.revision), found.reason)
      if (found !== undefined) void onFound(found.revision)
    })
  return (
    <>
      <form class="in-force-on" onSubmit={handleSubmit((form) => find(textOf(form, 'time')))}>
        <Field label={t.revisions.inForceOn}>
          {(names) => <input {...names} {...LOCAL_TIME} name="time" required />}
        </Field>
        <Button type="submit" icon="clock" busy={busy.value}>
          {t.revisions.findDay}
        </Button>
      </form>
      <ProblemNote problem={problem.value} />
      {answer.value !== null && <Note title={answer.value} />}
    </>
  )
}
