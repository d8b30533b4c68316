import { capitalized } from '../../language/format'
import { t } from '../../language/language'
import { Icon } from '../../parts/icon'
import { Note } from '../../parts/note'
import type { RowNote } from './row-notes'

const doing = (action: string, relation: string) => t.policy.doing(action, relation === 'own')

const labelOf = (field: string): string => {
  const labels: Readonly<Record<string, string>> = t.propose.fields
  return labels[field] ?? field
}

/** A note about a row, below it. */
export const RowNoteLine = ({ note }: { readonly note: RowNote }) => {
  switch (note.is) {
    case 'fault':
      return <p class="fault">{[labelOf(note.field), t.propose.fault(note.message)].filter(Boolean).join(': ')}</p>
    case 'violation': {
      const { invariant, why, file, decision } = note.violation
      return (
        <Note kind="deny" title={t.propose.refusedBy(why || invariant)}>
          <p>
            {t.propose.wouldBe(
              capitalized(t.policy.everyOne(decision.role)),
              doing(decision.action, decision.relation),
              decision.effect,
            )}
          </p>
          <p class="hint">{t.propose.invariant(invariant, file)}</p>
        </Note>
      )
    }
    case 'unmet': {
      const { role, action, relation, expected, from } = note.unmet
      return (
        <Note kind="lit" title={t.propose.otherAnswer}>
          <p>{t.propose.expected(capitalized(t.policy.everyOne(role)), doing(action, relation), expected, from)}</p>
        </Note>
      )
    }
    case 'finding':
      return (
        <p class="warned">
          <Icon name="clock" />
          {findingWords(note)}
        </p>
      )
  }
}

type FindingNote = Extract<RowNote, { is: 'finding' }>

const findingWords = ({ finding: { kind, message, name = '', lone }, by }: FindingNote): string => {
  switch (kind) {
    case 'unreachable':
      return t.propose.neverReached(by)
    case 'overridden':
      return t.propose.overridden(by)
    case 'unknown_role':
      return t.propose.unknownRole(name)
    case 'lone_role':
      return t.propose.loneRole(name, lone?.nearest ?? null)
    case 'unknown_action':
      return t.propose.unknownAction(name)
    default:
      return message
  }
}
