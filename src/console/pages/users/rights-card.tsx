import { useSignal } from '@preact/signals'
import { useMemo } from 'preact/hooks'

import { api, type User } from '../../api'
import { number } from '../../language/format'
import { t } from '../../language/language'
import { BusyBar } from '../../parts/busy-bar'
import { userId } from '../../session'
import { Card } from '../../parts/card'
import { LoadProblem } from '../../parts/load-problem'
import { useLoaded } from '../../parts/loaded'
import { WHOLE } from '../../parts/matrix/find-names'
import { buildMatrix } from '../../parts/matrix/matrix-model'
import { Note } from '../../parts/note'
import { useRevisionInForce } from '../../parts/policy/in-force'
import { may, reasonFor } from '../../parts/service-rights'
import { ExplainedMatrix } from '../access/explained-matrix'
import { personCells } from './rights-cells'

/** A person's rights: by their role, and on one's own page by each token. */
export const RightsCard = ({ user }: { readonly user: User }) => {
  const isSelf = user.id === userId()
  const off = reasonFor('policy:read')
  return (
    <Card
      title={isSelf ? t.users.rights.titleSelf : t.users.rights.title}
      actions={
        may('policy:evaluate') && (
          <a
            class="button bare"
            href={`/console/explain?${new URLSearchParams({ user: user.id, action: 'link:read' })}`}
          >
            {t.users.rights.explain}
          </a>
        )
      }
    >
      <div class="body stack">
        {user.suspended && <Note kind="lit" title={t.users.rights.suspended} />}
        {off !== null && <p class="hint">{t.users.rights.off(off)}</p>}
        {may('policy:read') && <Rights user={user} isSelf={isSelf} />}
      </div>
    </Card>
  )
}

const Rights = ({ user: { role }, isSelf }: { readonly user: User; readonly isSelf: boolean }) => {
  const inForce = useRevisionInForce()
  const loaded = useLoaded(
    async (signal) => {
      const [{ revision, decisions }, tokens] = await Promise.all([
        api.getPolicyTable({}, { signal }),
        isSelf ? api.listPersonalTokens({ signal }) : null,
      ])
      return { revision, decisions, tokens: tokens?.data ?? [] }
    },
    [isSelf, inForce.value],
  )
  const { value, busy } = loaded
  const model = useMemo(
    () => buildMatrix(personCells(value?.decisions ?? [], role, value?.tokens ?? [], t.users.rights)),
    [value, role],
  )
  const view = useSignal(WHOLE)
  return (
    <>
      <LoadProblem of={loaded} />
      {busy && value === null && <BusyBar />}
      {value !== null && (
        <>
          <p class="lead">{t.users.rights.lead(role, number(value.revision))}</p>
          <p class="hint">{isSelf ? t.users.rights.tokens : t.users.rights.othersTokens}</p>
          <ExplainedMatrix
            label={isSelf ? t.users.rights.titleSelf : t.users.rights.title}
            model={model}
            view={view}
            revision={value.revision}
            // for a token, too, the rows are those of the role
            role={role}
          />
        </>
      )}
    </>
  )
}
