import type { Signal } from '@preact/signals'

import { ACTIONS } from '../../../domain/action.js'
import type { PolicyRow } from '../../../domain/policy-row.js'
import { t } from '../../language/language'
import { Field, Options } from '../../parts/field'
import { inOrder } from '../../parts/in-order'
import { OTHER_ROLE } from '../../parts/matrix/matrix-model'

/** The roles and actions named by rows. */
export const namesIn = (
  rows: readonly PolicyRow[],
): { readonly roles: readonly string[]; readonly actions: readonly string[] } => ({
  roles: [...new Set(rows.flatMap((row) => (row.ptype === 'g' ? [row.role, row.inherits] : [row.role])))],
  actions: [...new Set(rows.flatMap((row) => (row.ptype === 'g' || row.action === '*' ? [] : [row.action])))],
})

export const ActionField = ({ actions, chosen }: { readonly actions: readonly string[]; readonly chosen: string }) => (
  <Field label={t.explain.wants}>
    {(names) => (
      <select {...names} name="action">
        <Options
          names={new Set([...ACTIONS, ...actions, chosen])}
          words={(action) => `${action}: ${t.policy.doing(action, false)}`}
          chosen={chosen}
        />
      </select>
    )}
  </Field>
)

/** `chosen` follows the choice. */
export const RoleField = ({
  roles,
  chosen,
  fault,
}: {
  readonly roles: readonly string[]
  readonly chosen: Signal<string>
  readonly fault?: string | undefined
}) => {
  // no caller has the role `anyone`
  const known = inOrder([...new Set([chosen.value, 'anonymous', ...roles])].filter((role) => role !== 'anyone'))
  return (
    <Field label={t.policy.role} fault={fault}>
      {(names) => (
        <select
          {...names}
          name="role"
          value={chosen.value}
          onChange={({ currentTarget }) => (chosen.value = currentTarget.value)}
        >
          <Options names={known} words={(role) => (role === OTHER_ROLE ? t.policy.otherRole : role)} />
        </select>
      )}
    </Field>
  )
}

/** Whose record it is; nothing for an anonymous caller, who owns none. */
export const RelationField = ({ role, isOwn }: { readonly role: string; readonly isOwn: boolean }) =>
  role === 'anonymous' ? null : (
    <Field label={t.explain.whose}>
      {(names) => (
        <select {...names} name="relation">
          <Options
            names={['other', 'own'] as const}
            words={(each) => t.explain.relations[each]}
            chosen={isOwn ? 'own' : 'other'}
          />
        </select>
      )}
    </Field>
  )
