import { useSignal } from '@preact/signals'
import type { RefObject } from 'preact'
import { useEffect, useLayoutEffect, useMemo, useRef } from 'preact/hooks'

import type { Question } from '../../../domain/decision-table.js'
import type { Relation } from '../../../domain/decision.js'
import { t } from '../../language/language'
import { TEXT_PX, WIDTHS, slotsOf, widthOf, type Slot } from './columns'
import { MatrixCell } from './matrix-cell'
import { OTHER_ACTION, OTHER_ROLE, type MatrixModel } from './matrix-model'
import { move, type ShownNames } from './move'
import { useSeen } from './use-seen'

export interface MatrixProps {
  readonly label: string
  /** the current answers and the changes of an edit: `buildMatrix(cells, changes)`, built once */
  readonly model: MatrixModel
  /** the shown names, in order */
  readonly roles: readonly string[]
  readonly actions: readonly string[]
  /** other roles whose rows apply to a role, if that needs to be shown */
  readonly inherits: (role: string) => readonly string[]
  readonly open: Question | null
  /** Called for a press. `back` returns the focus to that cell. */
  readonly onOpen: (question: Question, back: () => void) => unknown
}

/** Roles by actions: a table with its own keyboard control. Only the visible part is rendered. */
export const Matrix = ({ label, model, roles, actions, inherits, open, onOpen }: MatrixProps) => {
  const shown = useMemo((): ShownNames => {
    const byName = new Map(model.roles.map((each) => [each.role, each]))
    return { roles: roles.flatMap((role) => byName.get(role) ?? []), actions }
  }, [model, roles.join(), actions.join()])
  const frame = useRef<HTMLDivElement>(null)
  /** the size of the text, as its reader has chosen it, against the one that the widths are for */
  const scale = useMemo(() => parseFloat(getComputedStyle(document.documentElement).fontSize) / TEXT_PX, [])
  const seen = useSeen(frame, scale)

  const chosen = useSignal<Question | null>(null)
  const active = activeIn(model, shown, chosen.value)
  const cell = useRef<HTMLTableCellElement>(null)
  const wantsFocus = useRef(false)
  const hasFocus = useRef(false)
  const giveFocus = () => {
    cell.current?.focus({ preventScroll: true })
    cell.current?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  }
  useLayoutEffect(() => {
    if (wantsFocus.current) giveFocus()
    // rendering and removing columns may lose the focus
    else if (hasFocus.current && document.activeElement === document.body) cell.current?.focus({ preventScroll: true })
    wantsFocus.current = false
  })
  useEffect(() => {
    const look = ({ target }: Event) =>
      (hasFocus.current = target instanceof Node && frame.current?.contains(target) === true)
    document.addEventListener('focusin', look)
    document.addEventListener('pointerdown', look)
    return () => {
      document.removeEventListener('focusin', look)
      document.removeEventListener('pointerdown', look)
    }
  }, [])
  // a cell opened by its URL is scrolled into view
  useEffect(() => {
    if (open !== null) chosen.value = open
  }, [open?.role, open?.action, open?.relation])

  const latest = useRef(onOpen)
  latest.current = onOpen
  /** Cells that were rendered earlier call the current `onOpen`, too. */
  const press = (question: Question) => {
    chosen.value = question
    void latest.current(question, giveFocus)
  }
  const slots = useMemo(() => slotsOf(shown.roles, seen.value, active?.role ?? null), [shown, seen.value, active?.role])
  const whole = WIDTHS.action + shown.roles.reduce((sum, role) => sum + widthOf(role), 0)
  return (
    <div class="matrix" ref={frame}>
      <table
        role="grid"
        aria-label={label}
        aria-rowcount={shown.actions.length + 2}
        aria-colcount={1 + shown.roles.reduce((sum, { relations }) => sum + relations.length, 0)}
        width={whole * scale}
        onKeyDown={(event) => {
          if (active === null || event.altKey || event.metaKey) return
          const target = event.key === 'Enter' || event.key === ' ' ? active : move(model, shown, active, event)
          if (target === null) return
          event.preventDefault()
          if (event.key === 'Enter' || event.key === ' ') return press(active)
          wantsFocus.current = true
          chosen.value = target
        }}
      >
        <colgroup>
          <col width={WIDTHS.action * scale} />
          {slots.flatMap((slot) =>
            slot.is === 'gap' ? (
              <col key={slot.key} width={slot.width * scale} />
            ) : (
              slot.role.relations.map((relation) => (
                <col
                  key={`${slot.role.role} ${relation}`}
                  width={(widthOf(slot.role) / slot.role.relations.length) * scale}
                />
              ))
            ),
          )}
        </colgroup>
        <Heads slots={slots} inherits={inherits} />
        <tbody>
          {shown.actions.map((action, at) => (
            <Row
              key={action}
              model={model}
              slots={slots}
              action={action}
              place={at + 3}
              isNewKind={at > 0 && kindOf(action) !== kindOf(shown.actions[at - 1] ?? '')}
              active={active?.action === action ? active : null}
              open={open?.action === action ? open : null}
              cell={cell}
              onPress={press}
            />
          ))}
        </tbody>
      </table>
    </div>
  )
}

/** The resource of an action: `link` of `link:read`. */
const kindOf = (action: string): string => action.split(':')[0] ?? ''

/** The cell that keys move from: the chosen one, if it is shown. */
const activeIn = (model: MatrixModel, { roles, actions }: ShownNames, chosen: Question | null): Question | null => {
  const role = roles.find((each) => each.role === chosen?.role)?.role ?? roles[0]?.role
  const action = actions.find((each) => each === chosen?.action) ?? actions[0]
  if (role === undefined || action === undefined) return null
  const answers = model.at(role, action)
  const relation = (answers.find((each) => each.relation === chosen?.relation) ?? answers[0])?.relation
  return relation === undefined ? null : { role, action, relation }
}

const Heads = ({
  slots,
  inherits,
}: {
  readonly slots: readonly Slot[]
  readonly inherits: (role: string) => readonly string[]
}) => (
  <thead>
    <tr aria-rowindex={1}>
      <th scope="col" rowSpan={2} class="action" aria-colindex={1}>
        {t.policy.action}
      </th>
      {slots.map((slot) =>
        slot.is === 'gap' ? (
          <td key={slot.key} aria-hidden="true" rowSpan={2} />
        ) : (
          <th
            key={slot.role.role}
            scope="colgroup"
            class="first"
            colSpan={slot.role.relations.length}
            aria-colindex={slot.column}
          >
            <span class="cut" title={slot.role.role}>
              {slot.role.role === OTHER_ROLE ? t.policy.otherRole : slot.role.role}
            </span>
            {inherits(slot.role.role).length > 0 && (
              <span class="caption cut">{t.policy.inherits(inherits(slot.role.role))}</span>
            )}
          </th>
        ),
      )}
    </tr>
    <tr aria-rowindex={2}>
      {slots.flatMap((slot) =>
        slot.is === 'gap'
          ? []
          : slot.role.relations.map((relation, i, { length }) => (
              <th
                key={`${slot.role.role} ${relation}`}
                scope="col"
                class={i === 0 ? 'first' : ''}
                aria-colindex={slot.column + i}
              >
                {length === 1 && relation === 'own' ? t.policy.any : t.policy.relations[relation]}
              </th>
            )),
      )}
    </tr>
  </thead>
)

interface RowProps {
  readonly model: MatrixModel
  readonly slots: readonly Slot[]
  readonly action: string
  /** the place of the row in the whole table, from 1 */
  readonly place: number
  readonly isNewKind: boolean
  readonly active: Question | null
  readonly open: Question | null
  readonly cell: RefObject<HTMLTableCellElement | null>
  readonly onPress: (question: Question) => unknown
}

const Row = ({ slots, place, isNewKind, active, open, ...row }: RowProps) => (
  <tr aria-rowindex={place} class={isNewKind ? 'kind' : undefined}>
    <th scope="row" class="action" aria-colindex={1}>
      {row.action === OTHER_ACTION ? t.policy.otherAction : <code>{row.action}</code>}
    </th>
    {slots.map((slot) => {
      if (slot.is === 'gap') return <td key={slot.key} aria-hidden="true" />
      const { role } = slot.role
      const relationIn = (question: Question | null) => (question?.role === role ? question.relation : null)
      return (
        <RoleCells
          key={role}
          {...row}
          role={role}
          column={slot.column}
          active={relationIn(active)}
          open={relationIn(open)}
        />
      )
    })}
  </tr>
)

interface RoleCellsProps extends Pick<RowProps, 'model' | 'action' | 'cell' | 'onPress'> {
  readonly role: string
  readonly column: number
  /** the relation of the active or open cell, if it is one of these */
  readonly active: Relation | null
  readonly open: Relation | null
}

/** The cells of a role in one row. They are rendered again only if they change: a table may have thousands. */
const RoleCells = ({ model, role, action, column, active, open, cell, onPress }: RoleCellsProps) =>
  useMemo(
    () => (
      <>
        {model.at(role, action).map((answer, i) => (
          <MatrixCell
            key={answer.relation}
            answer={answer}
            column={column + i}
            isFirst={i === 0}
            isOpen={answer.relation === open}
            active={answer.relation === active ? cell : null}
            onPress={() => onPress({ role, action, relation: answer.relation })}
          />
        ))}
      </>
    ),
    [model, role, action, column, active, open],
  )
