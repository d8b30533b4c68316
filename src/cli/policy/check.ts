import type { Command } from 'commander'

import { PACKAGE_ROOT } from '../../config.js'
import { createAccounts } from '../../identity/accounts.js'
import { analyseRows } from '../../policy/analysis.js'
import type { Finding } from '../../policy/analysis.js'
import { formatCsv } from '../../policy/format-csv.js'
import { loadPolicyRules } from '../../policy/installation.js'
import { describeLoop } from '../../policy/inheritance.js'
import { describeViolation, findViolations, viewViolation } from '../../policy/invariants.js'
import { rowText } from '../../policy/parse-row.js'
import { describeLoneRole, loneRoleOfUser, rolesIn } from '../../policy/role-names.js'
import type { Snapshot } from '../../policy/snapshot.js'
import type { PolicyRules } from '../../policy/store.js'
import { jsonOption } from '../arguments.js'
import { AnswerIsNo } from '../errors.js'
import { withProgress } from '../progress.js'
import { complain, print } from '../session.js'
import { counted, renderTable } from './render.js'
import { snapshotOfFile, withPolicy } from './session.js'

interface Options {
  readonly json?: true
  readonly csv?: true
}

/** A file is checked without a database; the rows in force are compared with the roles that users have, too. */
export const checkCommand = (policy: Command) =>
  policy
    .command('check')
    .description('check a policy file, or the rows in force: syntax, invariants, and what each row is good for')
    .argument('[file]', 'policy file (CSV); otherwise the rows in force are checked')
    .addOption(jsonOption())
    .option('--csv', 'print the findings as CSV')
    .action(async (file: string | undefined, { json, csv }: Options) => {
      const { name, snapshot, violations, findings, loneRolesOfUsers } = await (file === undefined
        ? checkInForce()
        : checkFile(file))
      const texts = findings.map((finding) => [finding.kind, rowText(finding.row), describeFinding(finding)])
      if (json) {
        print(
          JSON.stringify({
            rows: snapshot.rows.length,
            violations: violations.map(viewViolation),
            findings,
            lone_roles_of_users: loneRolesOfUsers,
          }),
        )
      } else if (csv) print(formatCsv(texts, ['kind', 'row', 'finding']))
      else {
        if (texts.length > 0)
          print(
            renderTable(
              ['row', 'finding'],
              texts.map((text) => text.slice(1)),
            ),
          )
        const invariants =
          violations.length === 0 ? 'every invariant holds' : `${counted(violations.length, 'invariant')} broken`
        print(`${name}: ${counted(snapshot.rows.length, 'row')}, ${counted(findings.length, 'finding')}, ${invariants}`)
      }
      for (const role of loneRolesOfUsers) complain(`warning: of a user, ${describeLoneRole(role)}`)
      for (const violation of violations) complain(`${name} breaks ${describeViolation(violation)}`)
      if (violations.length > 0) throw new AnswerIsNo()
    })

const checkFile = async (file: string) => {
  const rules = await loadPolicyRules(PACKAGE_ROOT)
  return examine(file, await snapshotOfFile(file, rules), rules)
}

const checkInForce = () =>
  withPolicy(async ({ database, rules, stored: { lastGood } }) =>
    examine(`revision ${lastGood.revision}`, lastGood, rules, await createAccounts(database).rolesInUse()),
  )

const examine = (name: string, snapshot: Snapshot, rules: PolicyRules, rolesInUse?: readonly string[]) =>
  withProgress('checking invariants', async (show) => ({
    name,
    snapshot,
    violations: await findViolations(snapshot, rules.invariants()),
    loneRolesOfUsers: (rolesInUse ?? []).flatMap((role, _, all) => {
      const others = all.filter((other) => other !== role)
      return loneRoleOfUser(role, [...rolesIn(snapshot.rows), ...others]) ?? []
    }),
    findings: await analyseRows(snapshot, {
      onProgress: (part) => show('analysing rows', part),
      ...(rolesInUse && { rolesInUse }),
    }),
  }))

const MAX_NAMED = 8
const named = (priorities: readonly number[]): string => {
  const shown = priorities.slice(0, MAX_NAMED).join(', ')
  const more = priorities.length > MAX_NAMED ? ` and ${priorities.length - MAX_NAMED} more` : ''
  return `${priorities.length === 1 ? 'row' : 'rows'} ${shown}${more}`
}

/** A finding in words for the author of the row. */
export const describeFinding = (finding: Finding): string => {
  switch (finding.kind) {
    case 'unreachable':
      return `unreachable: ${finding.by.length === 0 ? 'no request can match it' : `shadowed by ${named(finding.by)}`}`
    case 'redundant': {
      const stays = finding.stays.length === 0 ? 'no row would match' : named(finding.stays)
      return `redundant: ${finding.why}${finding.row.ptype === 'p' ? ` (${stays})` : ''}`
    }
    case 'overridden':
      return `partly overridden by ${named(finding.by)}, with the other effect`
    case 'unknown_role':
      return `warning: no user has the role ${finding.name}`.concat(
        finding.lone ? `, and ${describeLoneRole(finding.lone)}` : '',
      )
    case 'lone_role':
      return `warning: ${describeLoneRole(finding.lone)}`
    case 'loop':
      return `warning: ${describeLoop(finding.path)}`
    case 'unknown_action':
      return `warning: no route has the action ${finding.name}`
  }
}
