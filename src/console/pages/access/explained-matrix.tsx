import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useRef } from 'preact/hooks'

import type { Question } from '../../../domain/decision-table.js'
import { OTHER_ACTION } from '../../parts/matrix/matrix-model'
import { SearchedMatrix, type SearchedMatrixProps } from '../../parts/matrix/searched-matrix'
import { CellPanel } from './cell-panel'

/** The matrix of a revision, and the explanation of its open cell beside it. */
export const ExplainedMatrix = ({
  revision,
  role,
  legend,
  ...matrix
}: Omit<SearchedMatrixProps, 'open' | 'onOpen'> & {
  readonly revision: number
  /** the role whose rows decide in every column; if not set, that of the column */
  readonly role?: string
  readonly legend?: ComponentChildren
}) => {
  const { model } = matrix
  const open = useSignal<Question | null>(null)
  const back = useRef<() => void>(() => undefined)
  const question = open.value
  const answers = question === null ? [] : model.at(question.role, question.action)
  const cell = answers.find(({ relation }) => relation === question?.relation)
  return (
    <div class={cell ? 'access beside' : 'access'}>
      <div class="stack">
        <SearchedMatrix
          {...matrix}
          open={question}
          onOpen={(asked, goBack) => {
            open.value = asked
            back.current = goBack
          }}
        />
        {legend}
      </div>
      {question && cell && (
        <CellPanel
          question={{ ...question, role: role ?? question.role }}
          isAlike={cell.relation === 'own' && answers.length === 1}
          actions={model.actions.filter((action) => action !== OTHER_ACTION)}
          revision={revision}
          onClose={() => {
            open.value = null
            back.current()
          }}
        />
      )}
    </div>
  )
}
