import type { CellChange, Outcome } from '../../../domain/decision-table.js'
import { answerOf, isSame } from '../matrix/matrix-model.js'

/** How decisions change: changed effects, and the same effects by other rules. */
export const countTurned = (changes: readonly CellChange[]) => {
  let [toAllow, toDeny] = [0, 0]
  for (const { before, after } of changes) {
    const [was, is] = [answerOf(before).effect, answerOf(after).effect]
    if (was === is) continue
    if (is === 'allow') toAllow += 1
    else toDeny += 1
  }
  return { all: changes.length, toAllow, toDeny, byOtherRule: changes.length - toAllow - toDeny }
}
export type Turned = Readonly<ReturnType<typeof countTurned>>

/** A change; the same change for own and others' records is shown as one. */
interface ShownChange {
  readonly role: string
  readonly action: string
  /** `both`: the same for own and others' records */
  readonly relation: CellChange['relation'] | 'both'
  readonly before: Outcome
  readonly after: Outcome
}

/** Changed effects first; the same change for own and others' records is merged. */
export const shownChanges = (changes: readonly CellChange[]): readonly ShownChange[] => {
  const shown: ShownChange[] = []
  for (const change of changes) {
    const last = shown.at(-1)
    const isAlike =
      last?.role === change.role &&
      last.action === change.action &&
      last.relation === 'own' &&
      change.relation === 'other' &&
      isSame(last.before, change.before) &&
      isSame(last.after, change.after)
    if (isAlike) shown[shown.length - 1] = { ...last, relation: 'both' }
    else shown.push(change)
  }
  const turns = ({ before, after }: ShownChange) => answerOf(before).effect !== answerOf(after).effect
  return [...shown.filter(turns), ...shown.filter((change) => !turns(change))]
}
