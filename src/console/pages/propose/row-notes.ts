import type { LinkgateProblem, PolicyPreview } from 'linkgate/client'
import { rowText, type SentRow } from '../../parts/policy/row.js'
import { shownOf, type Draft, type changesIn } from './draft.js'

type Violation = NonNullable<PolicyPreview['objections'][number]['violations']>[number]
type Finding = PolicyPreview['findings'][number]
type Unmet = PolicyPreview['expectations']['unmet'][number]

export type RowNote =
  /** the row cannot be added, or removed; `field`: of the row, or empty */
  | { readonly is: 'fault'; readonly field: string; readonly message: string }
  /** an invariant refuses the edit, and this row breaks it */
  | { readonly is: 'violation'; readonly violation: Violation }
  | { readonly is: 'unmet'; readonly unmet: Unmet }
  /** `by`: priorities of the rows that decide before it, of this edit if some are */
  | { readonly is: 'finding'; readonly finding: Finding; readonly by: readonly number[] }

export interface Notes {
  readonly ofRow: ReadonlyMap<string, readonly RowNote[]>
  readonly others: readonly RowNote[]
  readonly faults: number
}

/** Keeps only the rows of this edit, if there are any: the others came before it already. */
const byEdited = ({ by = [] }: Finding, edited: ReadonlySet<number>): readonly number[] => {
  const fresh = by.filter((each) => edited.has(each))
  return fresh.length > 0 ? fresh : by
}

type Changes = ReturnType<typeof changesIn>

const PLACE = /^(add|remove)\.(\d+)(?:\.(.*))?$/

/** Assigns the service's findings about an edit to its rows. */
export const notesOf = (
  draft: Draft,
  changes: Changes,
  preview: PolicyPreview | null,
  problem: LinkgateProblem | null,
): Notes => {
  const ofRow = new Map<string, RowNote[]>()
  const others: RowNote[] = []
  const put = (id: string | undefined, note: RowNote) => {
    if (id === undefined) others.push(note)
    else ofRow.set(id, [...(ofRow.get(id) ?? []), note])
  }
  const byText = new Map(draft.rows.map((each) => [rowText(shownOf(each).row), each.id]))
  const idOf = (row: SentRow | null) => (row === null ? undefined : byText.get(rowText(row)))
  let faults = 0
  for (const { field, message } of problem?.code === 'validation_failed' ? problem.errors : []) {
    const [, list, nth, name = ''] = PLACE.exec(field) ?? []
    const rows = list === 'remove' ? changes.remove : changes.add
    put(nth === undefined ? undefined : rows[Number(nth)]?.id, { is: 'fault', field: name, message })
    faults += 1
  }
  for (const { violations = [] } of preview?.objections ?? [])
    for (const violation of violations) put(idOf(violation.row), { is: 'violation', violation })
  for (const unmet of preview?.expectations.unmet ?? []) if (unmet.is_new) put(idOf(unmet.row), { is: 'unmet', unmet })
  const edited = new Set(changes.add.flatMap(({ row }) => (row.ptype === 'p' ? row.priority : [])))
  for (const finding of preview?.findings ?? [])
    put(idOf(finding.row), { is: 'finding', finding, by: byEdited(finding, edited) })
  return { ofRow, others, faults }
}
