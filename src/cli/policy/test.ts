import { readFile } from 'node:fs/promises'
import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'

import { Command } from 'commander'

import { PACKAGE_ROOT } from '../../config.js'
import { effectOfFile, findUnmet, parseExpectations } from '../../policy/expectations.js'
import type { Expectation } from '../../policy/expectations.js'
import { loadPolicyRules } from '../../policy/installation.js'
import type { Snapshot } from '../../policy/snapshot.js'
import { AnswerIsNo } from '../answer-is-no.js'
import { print } from '../session.js'
import { UsageError } from '../usage-error.js'
import { counted } from './render.js'
import { snapshotOfFile, withPolicy } from './session.js'

const DEFAULT_FILES = ['policies/allow.csv', 'policies/deny.csv']

/** `linkgate policy test [FILE…] [--policy FILE]` */
export const testCommand = (): Command =>
  new Command('test')
    .description('ask the questions of expectation files; all must be answered as the files say')
    .argument(
      '[files...]',
      'files whose names end in allow.csv or deny.csv; policies/allow.csv and policies/deny.csv where none is named',
    )
    .option('--policy <file>', 'ask the rows of this file instead of those in force')
    .action(async (files: readonly string[], { policy }: { readonly policy?: string }) => {
      const shipped = () => DEFAULT_FILES.map((file) => relative('.', fileURLToPath(new URL(file, PACKAGE_ROOT))))
      const expectations = await readExpectations(files.length > 0 ? files : shipped())
      if (policy === undefined) await withPolicy(async ({ stored }) => requireExpected(stored.lastGood, expectations))
      else requireExpected(await snapshotOfFile(policy, await loadPolicyRules(PACKAGE_ROOT)), expectations)
      print(`${counted(expectations.length, 'question')}, all answered as expected`)
    })

/** Reads expectation files. A name that says no answer is a UsageError. */
export const readExpectations = async (files: readonly string[]): Promise<readonly Expectation[]> => {
  const named = files.map((file) => {
    const effect = effectOfFile(file)
    if (effect === null)
      throw new UsageError(
        `${file}: the name must end in allow.csv or deny.csv, which is the answer that its questions must have`,
      )
    return { file, effect }
  })
  const read = named.map(async ({ file, effect }) => parseExpectations(file, effect, await readFile(file, 'utf8')))
  return (await Promise.all(read)).flat()
}

/** Tells every question that is answered otherwise, one a line on stderr. Throws AnswerIsNo where there is one. */
export const requireExpected = (snapshot: Snapshot, expectations: readonly Expectation[]): void => {
  const unmet = findUnmet(snapshot, expectations)
  for (const each of unmet) process.stderr.write(`linkgate: ${each}\n`)
  if (unmet.length === 0) return
  process.stderr.write(
    `linkgate: ${unmet.length} of ${counted(expectations.length, 'question')} answered otherwise than expected\n`,
  )
  throw new AnswerIsNo()
}
