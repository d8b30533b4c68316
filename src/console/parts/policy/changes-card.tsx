import { useSignal } from '@preact/signals'
import { useMemo } from 'preact/hooks'

import type { Cell, CellChange, Question } from '../../../domain/decision-table.js'
import { t } from '../../language/language'
import { Card } from '../card'
import { WHOLE } from '../matrix/find-names'
import { buildMatrix } from '../matrix/matrix-model'
import { SearchedMatrix } from '../matrix/searched-matrix'
import { Segments } from '../segments'
import { countTurned } from './turned'

const NONE: readonly CellChange[] = []

/** The changes of an edit, in the matrix of all decisions. */
export const ChangesCard = ({
  cells,
  changes = NONE,
  isFresh = true,
}: {
  readonly cells: readonly Cell[]
  readonly changes?: readonly CellChange[] | undefined
  /** false: a newer edit is being previewed */
  readonly isFresh?: boolean
}) => {
  const view = useSignal(WHOLE)
  const isOnlyChanged = useSignal(false)
  const open = useSignal<Question | null>(null)
  const model = useMemo(() => buildMatrix(cells, changes), [cells, changes])
  const { toDeny, toAllow, byOtherRule } = countTurned(changes)
  return (
    <Card
      title={t.propose.changes}
      actions={
        changes.length > 0 && (
          <Segments
            label={t.propose.changes}
            names={[false, true]}
            chosen={isOnlyChanged.value}
            words={(only) => (only ? t.propose.onlyChanged : t.propose.allRoles)}
            onChoose={(only) => (isOnlyChanged.value = only)}
          />
        )
      }
    >
      <div class={isFresh ? 'body stack' : 'body stack stale'}>
        <p role="status">
          {changes.length === 0 ? (
            t.propose.noChange
          ) : (
            <>
              <span class="badge lit">{t.propose.changed(changes.length)}</span>{' '}
              {t.propose.turned(toDeny, toAllow, byOtherRule)}
            </>
          )}
        </p>
        <SearchedMatrix
          label={t.propose.changes}
          model={model}
          onlyChanged={isOnlyChanged.value && changes.length > 0}
          view={view}
          open={open.value}
          onOpen={(question) => (open.value = question)}
        />
      </div>
    </Card>
  )
}
