import { Command } from 'commander'

import { PACKAGE_ROOT } from '../../config.js'
import { analyseRows } from '../../policy/analysis.js'
import type { Finding } from '../../policy/analysis.js'
import { loadPolicyRules } from '../../policy/installation.js'
import { describeViolation, findViolations } from '../../policy/invariants.js'
import { invariantsOf } from '../../policy/store.js'
import { AnswerIsNo } from '../answer-is-no.js'
import { print } from '../session.js'
import { withProgress } from './progress.js'
import { counted, renderTable, rowText } from './render.js'
import { snapshotOfFile } from './session.js'

/** `linkgate policy check FILE`: asks no database. */
export const checkCommand = (): Command =>
  new Command('check')
    .description('check a policy file: does it parse, does it keep the invariants, what is each row good for')
    .argument('<file>', 'policy file (CSV)')
    .option('--json', 'findings as JSON')
    .action(async (file: string, { json }: { readonly json?: true }) => {
      const rules = await loadPolicyRules(PACKAGE_ROOT)
      const { snapshot, violations, findings } = await withProgress('building the policy', async ({ tell }) => {
        const snapshot = await snapshotOfFile(file, rules)
        tell('asking the invariants')
        const violations = await findViolations(snapshot, await invariantsOf(rules))
        tell('asking what each row is good for')
        return { snapshot, violations, findings: await analyseRows(snapshot, { onProgress: (part) => tell('asking what each row is good for', part) }) }
      })
      if (json) {
        print(JSON.stringify({
          rows: snapshot.rows.length,
          violations: violations.map(({ invariant, cell, row }) => ({ invariant: invariant.name, why: invariant.why, file: 'policies/invariants.csv', decision: cell, row })),
          findings,
        }))
      } else {
        if (findings.length > 0) print(renderTable(['row', 'finding'], findings.map((finding) => [rowText(finding.row), describeFinding(finding)])))
        print(`${file}: ${counted(snapshot.rows.length, 'row')}, ${counted(findings.length, 'finding')}, ${violations.length === 0 ? 'every invariant holds' : `${counted(violations.length, 'invariant')} broken`}`)
      }
      for (const violation of violations) process.stderr.write(`linkgate: ${file} breaks ${describeViolation(violation)}\n`)
      if (violations.length > 0) throw new AnswerIsNo()
    })

const MOST_NAMED = 8
const named = (priorities: readonly number[]): string => {
  const shown = priorities.slice(0, MOST_NAMED).join(', ')
  return `${priorities.length === 1 ? 'row' : 'rows'} ${shown}${priorities.length > MOST_NAMED ? ` and ${priorities.length - MOST_NAMED} more` : ''}`
}

/** What a finding means to whoever wrote the row. */
export const describeFinding = (finding: Finding): string => {
  switch (finding.kind) {
    case 'unreachable': return finding.by.length === 0 ? 'unreachable: no request can match it' : `unreachable: shadowed by ${named(finding.by)}`
    case 'redundant': return `redundant: ${finding.why}${finding.row.ptype !== 'p' ? '' : finding.stays.length === 0 ? ' (no row would match)' : ` (${named(finding.stays)})`}`
    case 'overridden': return `overridden in part: by ${named(finding.by)}, with the other effect`
    case 'unknown_role': return `warning: no user has the role ${finding.name}`
    case 'unknown_action': return `warning: no route has the action ${finding.name}`
  }
}
