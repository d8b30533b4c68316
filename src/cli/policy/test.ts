import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'

import type { Command } from 'commander'

import { PACKAGE_ROOT } from '../../config.js'
import {
  EXPECTATION_FILES,
  describeUnmet,
  effectOfFile,
  findUnmet,
  parseExpectations,
  type Expectation,
} from '../../policy/expectations.js'
import { loadPolicyRules } from '../../policy/installation.js'
import { PolicyError } from '../../policy/policy-error.js'
import type { Snapshot } from '../../policy/snapshot.js'
import { counted } from '../../domain/counted.js'
import { AnswerIsNo, UsageError } from '../errors.js'
import { complain, print } from '../print.js'
import { readTextFile } from '../read-text-file.js'
import { snapshotOfFile, withPolicy } from './session.js'

const shippedFiles = () => EXPECTATION_FILES.map((file) => relative('.', fileURLToPath(new URL(file, PACKAGE_ROOT))))

export const testCommand = (policy: Command) =>
  policy
    .command('test')
    .description('compare the policy with expectation files')
    .argument('[files...]', 'files named …allow.csv or …deny.csv (default: policies/allow.csv, policies/deny.csv)')
    .option('--policy <file>', 'test the rows of this file instead of those in force')
    .action(async (files: readonly string[], { policy: file }: { readonly policy?: string }) => {
      const expectations = await readExpectations(files.length > 0 ? files : shippedFiles())
      if (file === undefined) await withPolicy(async ({ stored }) => requireExpected(stored.lastGood, expectations))
      else requireExpected(await snapshotOfFile(file, await loadPolicyRules(PACKAGE_ROOT)), expectations)
      print(`${counted(expectations.length, 'question')}, all answered as expected`)
    })

/** Reads expectation files. Throws UsageError for a file whose name does not give the expected answer. */
export const readExpectations = async (files: readonly string[]): Promise<readonly Expectation[]> => {
  const named = files.map((file) => {
    const effect = effectOfFile(file)
    if (effect !== null) return { file, effect }
    throw new UsageError(`${file}: the name must end in allow.csv or deny.csv, the answer that is expected`)
  })
  const read = named.map(async ({ file, effect }) => {
    const expectations = parseExpectations(file, effect, await readTextFile(file))
    if (expectations.length === 0) throw new PolicyError(`${file} has no question: it would test nothing`)
    return expectations
  })
  return (await Promise.all(read)).flat()
}

/** Throws AnswerIsNo, after one line on stderr for each unmet expectation. */
export const requireExpected = (snapshot: Snapshot, expectations: readonly Expectation[]): void => {
  const unmet = findUnmet(snapshot, expectations)
  if (unmet.length === 0) return
  for (const each of unmet) complain(describeUnmet(each))
  complain(`${unmet.length} of ${counted(expectations.length, 'question')} not answered as expected`)
  throw new AnswerIsNo()
}
