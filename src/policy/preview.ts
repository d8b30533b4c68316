import type { Refusal } from '../domain/refusal.js'
import { analyseRows } from './analysis.js'
import type { Finding } from './analysis.js'
import { editedRows, examinePlan } from './edit.js'
import type { Edit, EditMaker, EditPlan } from './edit.js'
import { findUnmet } from './expectations.js'
import type { Unmet } from './expectations.js'
import { rowText } from './parse-row.js'
import { rolesIn } from './role-names.js'
import type { Snapshot } from './snapshot.js'
import type { PolicyRules } from './store.js'

/** Everything that can be said of an edit before it is made. */
export interface Preview {
  readonly plan: EditPlan
  /** what would refuse it; the first is what its maker would be answered */
  readonly objections: readonly Refusal[]
  /** what can be said of rows that could not be said before */
  readonly findings: readonly Finding[]
  /** questions with another answer than the one that is expected */
  readonly unmet: readonly (Unmet & { readonly isNew: boolean })[]
  /** how many questions were asked */
  readonly asked: number
}

const findingKey = (finding: Finding): string =>
  JSON.stringify([
    finding.kind,
    rowText(finding.row),
    'by' in finding ? finding.by : '',
    'name' in finding ? finding.name : '',
  ])

/** Answers what an edit would change and what speaks against it. Throws `validation_failed` as `planEdit` does. */
export const previewEdit = async (
  base: Snapshot,
  edit: Edit,
  rules: PolicyRules,
  { maker, rolesInUse }: { readonly maker: EditMaker; readonly rolesInUse: readonly string[] },
): Promise<Preview> => {
  const { objections, ...plan } = await examinePlan({ ...editedRows(base, edit), maker }, rules)
  const options = { rolesInUse, knownRoles: rolesIn(base.rows) }
  const before = new Set((await analyseRows(base, options)).map(findingKey))
  const findings = (await analyseRows(plan.candidate, options)).filter((finding) => !before.has(findingKey(finding)))
  const expectations = rules.expectations()
  const known = new Set(findUnmet(base, expectations).map(({ expectation }) => expectation))
  const unmet = findUnmet(plan.candidate, expectations).map((each) => ({
    ...each,
    isNew: !known.has(each.expectation),
  }))
  return { plan, objections, findings, unmet, asked: expectations.length }
}
