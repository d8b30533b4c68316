import type { Deadline } from '../domain/deadline.js'
import type { CellChange } from '../domain/decision-table.js'
import type { PolicyRow } from '../domain/policy-row.js'
import { Refusal, type Fault } from '../domain/refusal.js'
import type { Subject } from '../domain/user.js'
import { commentChanges, editedComments, type CommentChange, type CommentedRows, type Comments } from './comments.js'
import { createInheritance, describeLoop, findLoop, loopThrough } from './inheritance.js'
import { describeViolation, findViolations, viewViolation, type Violation } from './invariants.js'
import { findBeyondOwnRights } from './own-rights.js'
import { parseEditedRow, rowText, type EditedRow } from './parse-row.js'
import { PolicyError } from './policy-error.js'
import { buildSnapshot, roleOf, type Snapshot } from './snapshot.js'
import { inStoredOrder, type PolicyRules, type StoredRow } from './store.js'
import { decisionChanges } from './table.js'

interface RowEdit {
  readonly add: readonly PolicyRow[]
  readonly remove: readonly PolicyRow[]
}

export interface Edit extends RowEdit {
  /** comments on rows that it adds or that exist already */
  readonly comments?: readonly EditedRow[]
}

/**
 * The user whose rights bound an edit (promise 11). Null is a caller without a user, as for `can()`. `'unbounded'` is
 * only for the command line and the default policy: whoever runs them owns the installation, and could write the rows
 * with SQL as well.
 */
export type EditMaker = Subject | 'unbounded'

export interface EditPlan extends RowEdit {
  /** comments that are added, changed or removed */
  readonly commented: readonly CommentChange[]
  /** unparsable stored rows to remove; somebody wrote them by hand */
  readonly unreadable: readonly StoredRow[]
  /** the snapshot that a load gives once this plan is committed */
  readonly candidate: Snapshot
  readonly changes: readonly CellChange[]
  /** whose rights it was planned for and checked against */
  readonly maker: EditMaker
}

/** True if a plan changes no row and no comment, and so makes no revision. */
export const isEmpty = ({ add, remove, unreadable, commented }: EditPlan): boolean =>
  add.length + remove.length + unreadable.length + commented.length === 0

/** What a plan changes, as JSON shows it. */
export const viewPlan = ({ changes, add, remove, commented }: EditPlan) => ({
  decisions_changed: changes,
  added: add,
  removed: remove,
  comments: commented,
})

/** Parses the rows of an edit. Throws `validation_failed` naming each list, row and field with a fault. */
export const parseEdit = (add: readonly unknown[], remove: readonly unknown[]): Edit => {
  const faults: Fault[] = []
  const parseAll = (list: string, rows: readonly unknown[]) =>
    rows.flatMap((input, i) => {
      const row = parseEditedRow(input)
      if (row.ok) return [row.value]
      for (const { field, message } of row.faults)
        faults.push({ field: `${list}.${i}${field && `.${field}`}`, message })
      return []
    })
  const [added, removed] = [parseAll('add', add), parseAll('remove', remove)]
  if (faults.length > 0) throw new Refusal('validation_failed', { errors: faults })
  return { add: added.map(({ row }) => row), remove: removed.map(({ row }) => row), comments: added }
}

/** The edit that adds rows and their comments. */
export const editAdding = ({ rows, comments }: CommentedRows): Edit => ({
  add: rows,
  remove: [],
  comments: [...comments.values()],
})

/** The edit that turns one set of rows into another. */
export const editBetween = (from: readonly PolicyRow[], to: readonly PolicyRow[]): RowEdit => {
  const [before, after] = [new Set(from.map(rowText)), new Set(to.map(rowText))]
  return { add: to.filter((row) => !before.has(rowText(row))), remove: from.filter((row) => !after.has(rowText(row))) }
}

interface UncheckedPlan extends Omit<EditPlan, 'candidate' | 'changes' | 'commented'> {
  /** the revision whose decisions the new ones are compared with */
  readonly base: Snapshot
  readonly revision: number
  /** all rows of the new revision: kept ones in their order, then the added ones */
  readonly rows: readonly PolicyRow[]
  readonly commentsBefore: Comments
  readonly comments: Comments
  /** the rows that differ from `base`, if these are more than the edit itself */
  readonly changed?: readonly PolicyRow[]
}

/**
 * Plans an edit without changing anything. Throws `validation_failed` naming a row that cannot be added or removed,
 * `beyond_own_rights` if the edit exceeds the rights of its `maker`, and `invariant_violated` naming the invariant, the
 * row and the decision.
 */
export const planEdit = async (
  base: Snapshot,
  edit: Edit,
  rules: PolicyRules,
  maker: EditMaker,
  deadline?: Deadline,
): Promise<EditPlan> => checkPlan({ ...editedRows(base, edit), maker }, rules, deadline)

/** The rows after an edit. Throws `validation_failed` naming a row that cannot be added or removed. */
export const editedRows = (base: Snapshot, edit: Edit): Omit<UncheckedPlan, 'maker'> => {
  const faults: Fault[] = []
  const refuse = (field: string, message: string) => faults.push({ field, message })
  const rows = new Map(base.rows.map((row) => [rowText(row), row]))
  const remove = new Map<string, PolicyRow>()
  for (const [i, row] of edit.remove.entries()) {
    const text = rowText(row)
    if (!rows.delete(text)) refuse(`remove.${i}`, remove.has(text) ? 'is listed twice' : 'is not a row of the policy')
    remove.set(text, row)
  }
  const priorities = new Set([...rows.values()].map((row) => (row.ptype === 'p' ? row.priority : 0)))
  const add: PolicyRow[] = []
  for (const [i, row] of edit.add.entries()) {
    const text = rowText(row)
    if (remove.has(text)) refuse(`add.${i}`, 'is also listed for removal')
    if (rows.has(text)) continue
    rows.set(text, row)
    add.push(row)
    if (row.ptype !== 'p') continue
    if (priorities.has(row.priority))
      refuse(`add.${i}.priority`, `${row.priority} is the priority of another row; priorities are unique`)
    priorities.add(row.priority)
  }
  const inheritance = createInheritance([...rows.values()].filter((row) => row.ptype === 'g'))
  const isNew = new Set(add)
  for (const [i, row] of edit.add.entries()) {
    const loop = row.ptype === 'g' && isNew.has(row) ? loopThrough(inheritance, row) : null
    if (loop !== null) refuse(`add.${i}.inherits`, describeLoop(loop))
  }
  if (faults.length > 0) throw new Refusal('validation_failed', { errors: faults })
  const kept = new Map(base.comments)
  for (const text of remove.keys()) kept.delete(text)
  return {
    base,
    revision: base.revision + 1,
    rows: [...rows.values()],
    add,
    remove: [...remove.values()],
    unreadable: [],
    commentsBefore: base.comments,
    comments: editedComments(kept, edit.comments ?? []),
  }
}

/**
 * Builds the candidate and checks it. Throws `validation_failed` if the rows cannot be in force together, and
 * `beyond_own_rights` and `invariant_violated` like `planEdit`.
 */
export const checkPlan = async (plan: UncheckedPlan, rules: PolicyRules, deadline?: Deadline): Promise<EditPlan> => {
  const { objections, ...checked } = await examinePlan(plan, rules, deadline)
  const [first] = objections
  if (first) throw first
  return checked
}

/**
 * Like `checkPlan`, but returns the objections to the edit along with what it would change. Throws only
 * `validation_failed` and `deadline_exceeded`.
 */
export const examinePlan = async (
  { base, revision, rows, comments, commentsBefore, maker, ...edit }: UncheckedPlan,
  rules: PolicyRules,
  deadline?: Deadline,
): Promise<EditPlan & { readonly objections: readonly Refusal[] }> => {
  const { add, remove, unreadable, changed = [...add, ...remove] } = edit
  const candidate = await buildSnapshot(revision, rules.model, inStoredOrder(rows), comments).catch(
    (error: unknown) => {
      if (!(error instanceof PolicyError)) throw error
      const message = `leaves rows that cannot be in force: ${error.message}`
      throw new Refusal('validation_failed', { errors: [{ field: 'add', message }] })
    },
  )
  const loop = findLoop(candidate.engine.inheritance, add)
  if (loop !== null) throw new Refusal('validation_failed', { errors: [{ field: 'add', message: describeLoop(loop) }] })
  const changes = await decisionChanges(base, candidate, changed, deadline)
  const beyond =
    maker === 'unbounded'
      ? null
      : await findBeyondOwnRights({ base, candidate, changes, maker: roleOf(maker), deadline })
  const broken = brokenInvariants(await findViolations(candidate, rules.invariants(), deadline))
  const objections = [beyond, broken].filter((each) => each !== null)
  const commented = commentChanges(commentsBefore, comments)
  return { add, remove, unreadable, commented, candidate, changes, maker, objections }
}

const brokenInvariants = (violations: readonly Violation[]): Refusal | null => {
  const [first] = violations
  if (first === undefined) return null
  const count = violations.length === 1 ? '' : `${violations.length} invariants; the first is `
  return new Refusal('invariant_violated', {
    detail: `The edit breaks ${count}${describeViolation(first)}.`,
    extensions: { violations: violations.map(viewViolation) },
  })
}
