import { useSignal } from '@preact/signals'

import type { CellChange } from '../../../domain/decision-table.js'
import { t } from '../../language/language'
import { OTHER_ACTION, OTHER_ROLE } from '../matrix/matrix-model'
import { Verdict } from '../matrix/verdict'
import { MoreFoot } from '../more-foot'
import { countTurned, shownChanges } from './turned'

/** How many are shown at first, and added each time. */
const AT_ONCE = 12

/** The changed decisions: how many, and which. */
export const ChangedDecisions = ({
  changes,
  before,
  after,
}: {
  readonly changes: readonly CellChange[]
  readonly before: string
  readonly after: string
}) => {
  const most = useSignal(AT_ONCE)
  const all = shownChanges(changes)
  const shown = all.slice(0, most.value)
  return (
    <>
      <p class="body lead">{t.policy.turned(countTurned(changes))}</p>
      {all.length > 0 && (
        <table class="table decisions">
          <thead>
            <tr>
              <th scope="col">{t.policy.decision}</th>
              <th scope="col">{before}</th>
              <th scope="col">{after}</th>
            </tr>
          </thead>
          <tbody>
            {shown.map((change) => (
              <tr key={`${change.role} ${change.action} ${change.relation}`}>
                <th scope="row">
                  {change.role === OTHER_ROLE ? t.policy.otherRole : change.role}{' '}
                  <code>{change.action === OTHER_ACTION ? t.policy.otherAction : change.action}</code>{' '}
                  <span class="caption">
                    {change.relation === 'both' ? t.policy.both : t.policy.relations[change.relation]}
                  </span>
                </th>
                <td>
                  <Verdict outcome={change.before} />
                </td>
                <td>
                  <Verdict outcome={change.after} />
                  {change.before.endpoint !== change.after.endpoint && (
                    <span class="caption">{t.policy.endpointTurns[change.after.endpoint]}</span>
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {all.length > AT_ONCE && (
        <MoreFoot shown={shown.length} all={all.length} onMore={() => (most.value += AT_ONCE * 10)} />
      )}
    </>
  )
}
