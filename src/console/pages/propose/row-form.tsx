import { isAction } from '../../../domain/action.js'
import { EFFECTS, REACHES, RULE_LABEL } from '../../../domain/policy-row.js'
import { isRoleName } from '../../../domain/role.js'
import { t } from '../../language/language'
import { Field } from '../../parts/field'
import type { TypedRow } from '../../parts/policy/row'
import { SegmentsField } from '../../parts/segments'
import type { Commented } from './draft'
import { NameField } from './name-field'

/** Names used by rows and users. Others may be typed: a row can introduce a role, or an action of another program. */
export interface Vocabulary {
  readonly roles: readonly string[]
  readonly actions: readonly string[]
}

/** The fields of a row. Typed values go to the draft at once; faults appear next to their field. */
export const RowForm = ({
  now,
  vocabulary,
  faults,
  onChange,
}: {
  readonly now: Commented
  readonly vocabulary: Vocabulary
  /** by field, as worded by the service */
  readonly faults: Readonly<Record<string, string | undefined>>
  readonly onChange: (now: Commented) => unknown
}) => {
  const { row, comment } = now
  const put = (changed: TypedRow) => onChange({ ...now, row: changed })
  const role = (field: 'role' | 'inherits', value: string, set: (text: string) => TypedRow) => (
    <NameField
      label={t.propose.fields[field]}
      value={value}
      names={vocabulary.roles}
      another={t.propose.anotherRole}
      fault={isRoleName(value) ? faults[field] : t.propose.faults.role}
      onChange={(text) => put(set(text))}
    />
  )
  return (
    <div class="fields">
      {row.ptype === 'p' && (
        <>
          <Field label={t.propose.fields.priority} fault={faults['priority']}>
            {(input) => (
              <input
                {...input}
                type="number"
                min={1}
                max={999_999_999}
                value={row.priority}
                onInput={({ currentTarget: { valueAsNumber } }) =>
                  put({ ...row, priority: Number.isInteger(valueAsNumber) ? valueAsNumber : 0 })
                }
              />
            )}
          </Field>
          <Field
            label={t.propose.fields.rule}
            fault={RULE_LABEL.test(row.rule) ? faults['rule'] : t.propose.faults.rule}
          >
            {(input) => (
              <input
                {...input}
                value={row.rule}
                maxLength={16}
                spellcheck={false}
                onInput={({ currentTarget }) => put({ ...row, rule: currentTarget.value.toUpperCase() })}
              />
            )}
          </Field>
        </>
      )}
      {role('role', row.role, (text) => ({ ...row, role: text }))}
      {row.ptype === 'g' ? (
        role('inherits', row.inherits, (inherits) => ({ ...row, inherits }))
      ) : (
        <NameField
          label={t.propose.fields.action}
          value={row.action}
          names={vocabulary.actions}
          another={t.propose.anotherAction}
          fault={row.action === '*' || isAction(row.action) ? faults['action'] : t.propose.faults.action}
          onChange={(action) => put({ ...row, action })}
        />
      )}
      {row.ptype === 'p' && (
        <>
          <SegmentsField
            label={t.propose.fields.reach}
            names={REACHES}
            chosen={row.reach}
            words={(reach) => (reach === 'own' ? t.policy.relations.own : t.policy.any)}
            onChoose={(reach) => put({ ...row, reach })}
          />
          <SegmentsField
            label={t.propose.fields.effect}
            names={EFFECTS}
            chosen={row.effect}
            words={(effect) => `${effect === 'allow' ? '✓' : '–'} ${t.policy.effects[effect]}`}
            onChoose={(effect) => put({ ...row, effect })}
          />
        </>
      )}
      <Field whole label={t.propose.fields.comment} fault={faults['comment']}>
        {(input) => (
          <textarea
            {...input}
            rows={comment.includes('\n') ? 3 : 1}
            maxLength={500}
            value={comment}
            onInput={({ currentTarget }) => onChange({ ...now, comment: currentTarget.value })}
          />
        )}
      </Field>
    </div>
  )
}
