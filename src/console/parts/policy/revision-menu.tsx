import { useSignal } from '@preact/signals'

import { t } from '../../language/language'
import { useAttempt } from '../attempt'
import { Button } from '../button'
import { Field } from '../field'
import { handleSubmit, textOf } from '../form'
import { Menu, shutMenu } from '../menu'
import { LOCAL_TIME } from '../local-time'
import { ProblemNote } from '../note'
import { revisionAt } from './revision-at'

/** Chooses the revision of a page: the one in force, another by its number, or that of a moment. */
export const RevisionMenu = ({
  chosen,
  shown,
  onChoose,
}: {
  /** null: the one in force */
  readonly chosen: number | null
  /** its number, if known */
  readonly shown: number | null
  readonly onChoose: (revision: number | null) => unknown
}) => {
  const { busy, problem, attempt } = useAttempt()
  const fault = useSignal<string | undefined>(undefined)
  const find = async (form: HTMLFormElement) => {
    const [number, time] = [textOf(form, 'revision').trim(), textOf(form, 'time')]
    fault.value = undefined
    const choose = (revision: number) => {
      shutMenu(form)
      void onChoose(revision)
    }
    if (number !== '') return choose(Number(number))
    if (time === '') return undefined
    return attempt(async () => {
      const found = await revisionAt(new Date(time))
      if (found === undefined) fault.value = t.policy.noneThen
      else choose(found.revision)
    })
  }
  return (
    <Menu start icon="clock" label={t.policy.under} text={t.policy.at(chosen, shown)}>
      <form class="stack menu-form" onSubmit={handleSubmit(find)}>
        <ProblemNote problem={problem.value} />
        <Field label={t.policy.revision}>
          {(names) => <input {...names} name="revision" type="number" min="1" autocomplete="off" />}
        </Field>
        <Field label={t.policy.thatDay} fault={fault.value}>
          {(names) => <input {...names} {...LOCAL_TIME} name="time" />}
        </Field>
        <div class="row">
          <Button type="submit" busy={busy.value}>
            {t.show}
          </Button>
          {chosen !== null && <Button onPress={() => onChoose(null)}>{t.policy.now}</Button>}
        </div>
      </form>
    </Menu>
  )
}
