import type { Deadline } from '../domain/deadline.js'
import { pauseEvery } from '../domain/pause-every.js'
import type { Refusal } from '../domain/refusal.js'
import { analyseRows, type Finding } from './analysis.js'
import { editedRows, examinePlan, type Edit, type EditMaker, type EditPlan } from './edit.js'
import { findUnmet, type Unmet } from './expectations.js'
import { bindsItsMaker } from './own-rights.js'
import { rowText } from './parse-row.js'
import { rolesIn } from './role-names.js'
import { roleOf, type Snapshot } from './snapshot.js'
import type { PolicyRules } from './store.js'

/** The effects and the problems of an edit, before it is made. */
interface Preview {
  readonly plan: EditPlan
  /** why it would be refused; its maker would get the first of them */
  readonly objections: readonly Refusal[]
  /** whether its maker could not undo it */
  readonly bindsMaker: boolean
  /** findings that the edit adds */
  readonly findings: readonly Finding[]
  /** questions whose answer is not the expected one */
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

const byKey = async (findings: readonly Finding[]): Promise<ReadonlyMap<string, Finding>> => {
  const pause = pauseEvery(1_000)
  const found = new Map<string, Finding>()
  for (const finding of findings) {
    await pause()
    found.set(findingKey(finding), finding)
  }
  return found
}

interface PreviewOptions {
  readonly maker: EditMaker
  readonly rolesInUse: readonly string[]
  readonly deadline: Deadline
}

/**
 * Makes the function that previews an edit. It throws `validation_failed` like `planEdit`, and `deadline_exceeded`. The
 * findings of the base revision are cached: they are half of the work, and the same for every edit of it.
 */
export const createPreviews = (rules: PolicyRules) => {
  const cache = new WeakMap<Snapshot, { readonly roles: string; readonly keys: ReadonlySet<string> }>()

  const keysOf = async (base: Snapshot, rolesInUse: readonly string[]): Promise<ReadonlySet<string>> => {
    const roles = rolesInUse.join()
    const cached = cache.get(base)
    if (cached?.roles === roles) return cached.keys
    // without a deadline, so that a retry after a 503 finds it in the cache
    const keys = new Set((await byKey(await analyseRows(base, { rolesInUse, knownRoles: rolesIn(base.rows) }))).keys())
    cache.set(base, { roles, keys })
    return keys
  }

  return async (base: Snapshot, edit: Edit, { maker, rolesInUse, deadline }: PreviewOptions): Promise<Preview> => {
    const { objections, ...plan } = await examinePlan({ ...editedRows(base, edit), maker }, rules, deadline)
    const { candidate, changes } = plan
    const bindsMaker =
      maker !== 'unbounded' && (await bindsItsMaker({ base, candidate, changes, maker: roleOf(maker), deadline }))
    const before = await keysOf(base, rolesInUse)
    const options = { rolesInUse, knownRoles: rolesIn(base.rows), deadline }
    const after = await byKey(await analyseRows(candidate, options))
    const findings = [...after].flatMap(([key, finding]) => (before.has(key) ? [] : [finding]))
    const expectations = rules.expectations()
    const known = new Set(findUnmet(base, expectations).map(({ expectation }) => expectation))
    const unmet = findUnmet(candidate, expectations).map((each) => ({
      ...each,
      isNew: !known.has(each.expectation),
    }))
    return { plan, objections, bindsMaker, findings, unmet, asked: expectations.length }
  }
}
