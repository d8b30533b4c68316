import type { ComponentChildren } from 'preact'

import type { LinkgateProblem } from '../api'
import { t } from '../language/language'
import { Button } from './button'
import { Dialog } from './dialog'
import { Field, type InputNames } from './field'
import { handleSubmit } from './form'
import { ProblemNote } from './note'

/** A dialog with one field. */
export const Ask = ({
  title,
  label,
  hint,
  fault,
  action,
  problem,
  note,
  isBusy = false,
  onClose,
  onAnswer,
  children,
}: {
  readonly title: string
  readonly label: string
  readonly hint?: ComponentChildren
  readonly fault?: ComponentChildren
  readonly action: string
  readonly problem: LinkgateProblem | null
  readonly note?: ComponentChildren
  readonly isBusy?: boolean
  readonly onClose: () => unknown
  readonly onAnswer: (form: HTMLFormElement) => unknown
  readonly children: (names: InputNames) => ComponentChildren
}) => (
  <Dialog title={title} onClose={onClose}>
    <form class="stack" onSubmit={handleSubmit(onAnswer)}>
      <ProblemNote problem={problem} />
      {note}
      <Field label={label} hint={hint} fault={fault}>
        {children}
      </Field>
      <div class="row">
        <Button kind="main" type="submit" busy={isBusy}>
          {action}
        </Button>
        <Button onPress={onClose}>{t.cancel}</Button>
      </div>
    </form>
  </Dialog>
)
