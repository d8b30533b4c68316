import { useSignal, useSignalEffect } from '@preact/signals'
import { useLocation } from 'preact-iso/router'
import { useMemo } from 'preact/hooks'

import { positiveIntegerIn } from '../../../domain/positive-integer.js'
import { api } from '../../api'
import { number } from '../../language/format'
import { t } from '../../language/language'
import { useAttempt } from '../../parts/attempt'
import { Button } from '../../parts/button'
import { BusyBar } from '../../parts/busy-bar'
import { save } from '../../parts/download'
import { LoadProblem } from '../../parts/load-problem'
import { useLoaded } from '../../parts/loaded'
import { WHOLE } from '../../parts/matrix/find-names'
import { buildMatrix } from '../../parts/matrix/matrix-model'
import { EffectWord } from '../../parts/matrix/verdict'
import { ProblemNote } from '../../parts/note'
import { Page } from '../../parts/page'
import { useRevisionInForce } from '../../parts/policy/in-force'
import { inheritedIn, inheritingUser } from '../../parts/policy/inherits'
import { RevisionMenu } from '../../parts/policy/revision-menu'
import { reasonFor } from '../../parts/service-rights'
import { urlWith } from '../../parts/url-with'
import { ExplainedMatrix } from './explained-matrix'

/** The policy's answer to every question: roles by actions, now or at an earlier revision. */
export const AccessPage = () => {
  const { query, route } = useLocation()
  const chosen = positiveIntegerIn(query['revision'])
  const inForce = useRevisionInForce()
  const off = reasonFor('policy:write')
  const loaded = useLoaded(
    async (signal) => {
      const under = chosen === null ? {} : { revision: chosen }
      const [table, policy] = await Promise.all([
        api.getPolicyTable(under, { signal }),
        api.getPolicy(under, { signal }),
      ])
      return { revision: table.revision, cells: table.decisions, rows: policy.rows }
    },
    [chosen, chosen === null ? inForce.value : null],
  )
  const { value, busy } = loaded
  const model = useMemo(() => buildMatrix(value?.cells ?? []), [value])
  const inherited = useMemo(() => inheritedIn(value?.rows ?? []), [value])

  const view = useSignal({ ...WHOLE, find: query['find'] ?? '', pinned: query['pin']?.split(',') ?? [] })
  const addressAt = (revision: string | number | null) =>
    urlWith(location.pathname, { find: view.value.find, pin: view.value.pinned.join(), revision })
  useSignalEffect(() => history.replaceState(null, '', addressAt(new URLSearchParams(location.search).get('revision'))))
  const { busy: isSaving, problem: refused, attempt } = useAttempt()
  const exportCsv = () =>
    attempt(async () => {
      const revision = value?.revision
      const csv = await api.getPolicyTable({ format: 'csv', ...(revision !== undefined && { revision }) })
      save(`access-revision-${revision}.csv`, new Blob([csv], { type: 'text/csv' }))
    })
  return (
    <Page
      title={t.nav.access}
      busy={busy}
      actions={
        value !== null && (
          <>
            <Button icon="download" busy={isSaving.value} onPress={exportCsv}>
              {t.access.export}
            </Button>
            {off === null ? (
              <a class="button main" href="/console/policy">
                {t.access.propose}
              </a>
            ) : (
              <Button kind="main" icon="edit" off={off}>
                {t.access.propose}
              </Button>
            )}
          </>
        )
      }
    >
      <p class="lead">
        {t.access.lead} {value !== null && t.access.revision(number(value.revision), chosen === null)}
      </p>
      <LoadProblem of={loaded} />
      <ProblemNote problem={refused.value} />
      {busy && value === null && <BusyBar />}
      {value !== null && (
        <ExplainedMatrix
          label={t.nav.access}
          model={model}
          view={view}
          inherits={(role) => inherited.get(role) ?? []}
          revision={value.revision}
          legend={<Legend withUser={inheritingUser(value.rows)} />}
        >
          <RevisionMenu
            chosen={chosen}
            shown={value.revision}
            onChoose={(revision) => route(addressAt(revision), true)}
          />
        </ExplainedMatrix>
      )}
    </Page>
  )
}

/** Explains the signs of the matrix, and the entries that stand for unnamed roles and actions. */
const Legend = ({ withUser }: { readonly withUser: readonly string[] }) => (
  <div class="stack signs">
    <p class="row caption">
      <EffectWord effect="allow" />
      <EffectWord effect="deny" />
      <span>{t.access.legend}</span>
    </p>
    <p class="caption">
      {withUser.length > 0 && `${t.access.withUser(withUser)} `}
      {t.access.exact}
    </p>
  </div>
)
