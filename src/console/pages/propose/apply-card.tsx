import type { Signal } from '@preact/signals'

import type { PolicyPreview } from '../../api'
import { t } from '../../language/language'
import type { Attempt } from '../../parts/attempt'
import { Button } from '../../parts/button'
import { Card } from '../../parts/card'
import { handleSubmit } from '../../parts/form'
import { Note, ProblemNote } from '../../parts/note'
import { ReasonField } from '../../parts/reason-field'
import type { Draft } from './draft'
import { SeeBoth } from './stale-note'

/** The reason, and the button that applies the edit, or proposes it if somebody else has to approve. */
export const ApplyCard = ({
  draft,
  needsApproval,
  preview,
  off,
  isStale,
  apply,
  onApply,
}: {
  readonly draft: Signal<Draft>
  readonly needsApproval: boolean
  readonly preview: PolicyPreview | null
  /** why it cannot be applied; null if it can */
  readonly off: string | null
  readonly isStale: boolean
  readonly apply: Attempt
  readonly onApply: () => unknown
}) => {
  const { revision, reason } = draft.value
  const problem = apply.problem.value
  return (
    <Card title={needsApproval ? t.propose.proposeTitle : t.propose.applyTitle}>
      <form class="body stack" onSubmit={handleSubmit(() => off === null && onApply())}>
        <ReasonField
          label={t.propose.reason}
          problem={problem}
          value={reason}
          onType={(text) => (draft.value = { ...draft.value, reason: text })}
        />
        {preview?.binds_maker === true && preview.objections.length === 0 && (
          <Note title={t.propose.bindsMaker}>{t.propose.bindsMakerHint}</Note>
        )}
        {problem?.status !== 412 && <ProblemNote problem={problem} />}
        <div class="row">
          <Button kind="main" icon="check" type="submit" busy={apply.busy.value} off={off}>
            {needsApproval ? t.propose.propose : t.propose.apply(revision + 1)}
          </Button>
          {isStale && <SeeBoth />}
          {off === null && preview !== null && (
            <span class="hint">{t.propose.holds(preview.expectations.asked, preview.expectations.unmet.length)}</span>
          )}
        </div>
      </form>
    </Card>
  )
}
