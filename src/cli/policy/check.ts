import { Command } from 'commander'
import { stringify } from 'csv-stringify/sync'

import { PACKAGE_ROOT } from '../../config.js'
import { createAccounts } from '../../identity/accounts.js'
import { analyseRows } from '../../policy/analysis.js'
import type { Finding } from '../../policy/analysis.js'
import { loadPolicyRules } from '../../policy/installation.js'
import { describeViolation, findViolations, viewViolation } from '../../policy/invariants.js'
import type { Violation } from '../../policy/invariants.js'
import type { Snapshot } from '../../policy/snapshot.js'
import type { PolicyRules } from '../../policy/store.js'
import { AnswerIsNo } from '../answer-is-no.js'
import { print } from '../session.js'
import { UsageError } from '../usage-error.js'
import { withProgress } from '../progress.js'
import { counted, renderTable, rowText } from './render.js'
import { snapshotOfFile, withPolicy } from './session.js'

interface Checked {
  readonly name: string
  readonly snapshot: Snapshot
  readonly violations: readonly Violation[]
  readonly findings: readonly Finding[]
}

/**
 * `linkgate policy check [FILE]`: a file asks no database; the rows in force are also held against the roles that users
 * have.
 */
export const checkCommand = (): Command =>
  new Command('check')
    .description(
      'check a policy file, or the rows in force: do they parse, do they keep the invariants, what is each row good for',
    )
    .argument('[file]', 'policy file (CSV); the rows in force where none is named')
    .option('--json', 'findings as JSON')
    .option('--csv', 'findings as CSV')
    .action(async (file: string | undefined, { json, csv }: { readonly json?: true; readonly csv?: true }) => {
      if (json && csv) throw new UsageError('--json and --csv exclude each other')
      const checked = await (file === undefined ? checkInForce() : checkFile(file))
      if (json) print(JSON.stringify(asJson(checked)))
      else if (csv)
        print(
          stringify(
            checked.findings.map((finding) => [finding.kind, rowText(finding.row), describeFinding(finding)]),
            { header: true, columns: ['kind', 'row', 'finding'] },
          ),
        )
      else printChecked(checked)
      for (const violation of checked.violations)
        process.stderr.write(`linkgate: ${checked.name} breaks ${describeViolation(violation)}\n`)
      if (checked.violations.length > 0) throw new AnswerIsNo()
    })

const checkFile = async (file: string): Promise<Checked> => {
  const rules = await loadPolicyRules(PACKAGE_ROOT)
  return withProgress('building the policy', async ({ tell }) => {
    const snapshot = await snapshotOfFile(file, rules)
    return { name: file, snapshot, ...(await examine(snapshot, rules, undefined, tell)) }
  })
}

const checkInForce = (): Promise<Checked> =>
  withPolicy(async ({ database, rules, stored: { lastGood } }) =>
    withProgress('asking what each row is good for', async ({ tell }) => {
      const rolesInUse = await createAccounts(database).rolesInUse()
      return {
        name: `revision ${lastGood.revision}`,
        snapshot: lastGood,
        ...(await examine(lastGood, rules, rolesInUse, tell)),
      }
    }),
  )

const examine = async (
  snapshot: Snapshot,
  rules: PolicyRules,
  rolesInUse: readonly string[] | undefined,
  tell: (what: string, part?: number) => void,
) => {
  tell('asking the invariants')
  const violations = await findViolations(snapshot, rules.invariants())
  const findings = await analyseRows(snapshot, {
    onProgress: (part) => tell('asking what each row is good for', part),
    ...(rolesInUse === undefined ? {} : { rolesInUse }),
  })
  return { violations, findings }
}

const asJson = ({ snapshot, violations, findings }: Checked) => ({
  rows: snapshot.rows.length,
  violations: violations.map(viewViolation),
  findings,
})

const printChecked = ({ name, snapshot, violations, findings }: Checked): void => {
  if (findings.length > 0)
    print(
      renderTable(
        ['row', 'finding'],
        findings.map((finding) => [rowText(finding.row), describeFinding(finding)]),
      ),
    )
  print(
    `${name}: ${counted(snapshot.rows.length, 'row')}, ${counted(findings.length, 'finding')}, ${violations.length === 0 ? 'every invariant holds' : `${counted(violations.length, 'invariant')} broken`}`,
  )
}

const MOST_NAMED = 8
const named = (priorities: readonly number[]): string => {
  const shown = priorities.slice(0, MOST_NAMED).join(', ')
  return `${priorities.length === 1 ? 'row' : 'rows'} ${shown}${priorities.length > MOST_NAMED ? ` and ${priorities.length - MOST_NAMED} more` : ''}`
}

/** What a finding means to whoever wrote the row. */
export const describeFinding = (finding: Finding): string => {
  switch (finding.kind) {
    case 'unreachable':
      return finding.by.length === 0
        ? 'unreachable: no request can match it'
        : `unreachable: shadowed by ${named(finding.by)}`
    case 'redundant':
      return `redundant: ${finding.why}${finding.row.ptype !== 'p' ? '' : finding.stays.length === 0 ? ' (no row would match)' : ` (${named(finding.stays)})`}`
    case 'overridden':
      return `overridden in part: by ${named(finding.by)}, with the other effect`
    case 'unknown_role':
      return `warning: no user has the role ${finding.name}`
    case 'unknown_action':
      return `warning: no route has the action ${finding.name}`
  }
}
