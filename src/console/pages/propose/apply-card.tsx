import type { Signal } from '@preact/signals'

import type { PolicyPreview } from '../../api'
import { t } from '../../language/language'
import { Button } from '../../parts/button'
import { Card } from '../../parts/card'
import { Field } from '../../parts/field'
import { ProblemNote, faultsOf } from '../../parts/note'
import type { Attempt } from '../../parts/attempt'
import type { Draft } from './draft'

/** The reason, and the button that puts the edit in force, or proposes it where somebody else has to approve. */
export const ApplyCard = ({
  draft,
  needsApproval,
  preview,
  off,
  apply,
  onApply,
}: {
  readonly draft: Signal<Draft>
  readonly needsApproval: boolean
  readonly preview: PolicyPreview | null
  /** why it cannot be applied; null where it can */
  readonly off: string | null
  readonly apply: Attempt
  readonly onApply: () => unknown
}) => {
  const { revision, reason } = draft.value
  const problem = apply.problem.value
  return (
    <Card title={needsApproval ? t.propose.proposeTitle : t.propose.applyTitle}>
      <form
        class="body stack"
        onSubmit={(event) => {
          event.preventDefault()
          if (off === null) void onApply()
        }}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && event.ctrlKey && off === null) void onApply()
        }}
      >
        <Field label={t.propose.reason} fault={faultsOf(problem)['reason']}>
          {(names) => (
            <textarea
              {...names}
              rows={2}
              maxLength={1_000}
              value={reason}
              onInput={({ currentTarget }) => (draft.value = { ...draft.value, reason: currentTarget.value })}
            />
          )}
        </Field>
        {problem !== null && problem.status !== 412 && <ProblemNote problem={problem} />}
        <div class="row">
          <Button kind="main" icon="check" type="submit" busy={apply.busy.value} off={off}>
            {needsApproval ? t.propose.propose : t.propose.apply(revision + 1)}
          </Button>
          {off === null && preview !== null && (
            <span class="hint">{t.propose.holds(preview.expectations.asked, preview.expectations.unmet.length)}</span>
          )}
        </div>
      </form>
    </Card>
  )
}
