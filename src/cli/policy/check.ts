import type { Command } from 'commander'

import { PACKAGE_ROOT } from '../../config.js'
import { createAccounts } from '../../identity/accounts.js'
import { analyseRows, describeFinding } from '../../policy/analysis.js'
import { formatCsv } from '../../csv/format.js'
import { loadPolicyRules } from '../../policy/installation.js'
import { describeViolation, findViolations, viewViolation } from '../../policy/invariants.js'
import { rowText } from '../../policy/parse-row.js'
import { describeLoneRole, loneRoleOfUser, rolesIn } from '../../policy/role-names.js'
import type { Snapshot } from '../../policy/snapshot.js'
import type { PolicyRules } from '../../policy/store.js'
import { jsonOption } from '../arguments.js'
import { counted } from '../../domain/counted.js'
import { AnswerIsNo } from '../errors.js'
import { complain, print } from '../print.js'
import { withProgress } from '../progress.js'
import { renderTable } from './render.js'
import { snapshotOfFile, withPolicy } from './session.js'

interface Options {
  readonly json?: true
  readonly csv?: true
}

/** A file is checked without a database. The rows in force are also compared with the roles of users. */
export const checkCommand = (policy: Command) =>
  policy
    .command('check')
    .description('check a policy file, or the rows in force: syntax, invariants, and useless or suspicious rows')
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
    findings: await analyseRows(snapshot, { rolesInUse, onProgress: (part) => show('analysing rows', part) }),
  }))
