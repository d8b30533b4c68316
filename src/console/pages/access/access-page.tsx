import { useSignal } from '@preact/signals'

import { api } from '../../api'
import { t } from '../../language/language'
import { useLoaded } from '../../parts/loaded'
import { WHOLE } from '../../parts/matrix/find-names'
import type { Question } from '../../parts/matrix/matrix-model'
import { SearchedMatrix } from '../../parts/matrix/searched-matrix'
import { ProblemNote } from '../../parts/note'
import { Page } from '../../parts/page'

export const AccessPage = () => {
  const { state, again } = useLoaded((signal) => api.getPolicyTable({}, { signal }), [])
  const view = useSignal(WHOLE)
  const open = useSignal<Question | null>(null)
  const { value, problem } = state.value
  return (
    <Page title={t.nav.access}>
      <div class="stack">
        {problem !== null && <ProblemNote problem={problem} onRetry={again} />}
        {value !== null && (
          <SearchedMatrix
            label={t.nav.access}
            cells={value.decisions}
            view={view}
            open={open.value}
            onOpen={(question) => (open.value = question)}
          />
        )}
      </div>
    </Page>
  )
}
