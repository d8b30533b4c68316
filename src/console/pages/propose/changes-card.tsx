import { useSignal } from '@preact/signals'
import { useMemo } from 'preact/hooks'

import type { PolicyPreview } from '../../api'
import { t } from '../../language/language'
import { Card } from '../../parts/card'
import { WHOLE } from '../../parts/matrix/find-names'
import { buildMatrix } from '../../parts/matrix/matrix-model'
import type { Cell, Question } from '../../parts/matrix/matrix-model'
import { SearchedMatrix } from '../../parts/matrix/searched-matrix'
import { Segments } from '../../parts/segments'

/** What an edit changes, in the matrix of all decisions. */
export const ChangesCard = ({
  cells,
  preview,
  isFresh,
}: {
  readonly cells: readonly Cell[]
  readonly preview: Pick<PolicyPreview, 'decisions_changed'> | null
  readonly isFresh: boolean
}) => {
  const view = useSignal(WHOLE)
  const isOnlyChanged = useSignal(false)
  const open = useSignal<Question | null>(null)
  const changes = preview?.decisions_changed ?? NONE
  const model = useMemo(() => buildMatrix(cells, changes), [cells, changes])
  const count = (from: string, to: string) =>
    changes.filter(({ before, after }) => before.effect === from && after.effect === to).length
  const byRule = changes.length - count('allow', 'deny') - count('deny', 'allow')
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
              {t.propose.turned(count('allow', 'deny'), count('deny', 'allow'), byRule)}
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

const NONE: PolicyPreview['decisions_changed'] = []
