import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'

import type { Command } from 'commander'

import { publicKeyOf } from '../../audit/checkpoint.js'
import { expireMonths } from '../../audit/expire-months.js'
import { verifyLog } from '../../audit/verify-log.js'
import type { LogFault, LogVerdict } from '../../audit/verify-log.js'
import { withOwner } from '../../database/open.js'
import { StartError } from '../../domain/start-error.js'
import { loadSigningKey } from '../../identity/signing-key.js'
import { checked, collect, jsonOption } from '../arguments.js'
import { AnswerIsNo, UsageError } from '../errors.js'
import { counted, number } from '../policy/render.js'
import { withProgress } from '../progress.js'
import { print, settings, withDatabase } from '../session.js'

/** Only so many faults are printed and kept; all are counted. */
const SHOWN = 20

const withKeys = (command: Command): Command =>
  command.option('--key <file>', 'an earlier signing key (PEM) that signed checkpoints; repeatable', collect)

export const verifyCommand = (audit: Command) =>
  withKeys(audit.command('verify'))
    .description('verify the hash chains of the log, and name altered, missing and inserted entries')
    .addOption(jsonOption())
    .action(async ({ key = [], json }: { readonly key?: readonly string[]; readonly json?: true }) => {
      const { verdict, faults } = await verifyAll(key, 'verifying the log')
      print(
        json
          ? JSON.stringify({ whole: verdict.faults === 0, ...verdict, faults, faults_found: verdict.faults })
          : render(verdict, faults),
      )
      if (verdict.faults > 0) throw new AnswerIsNo()
    })

const month = checked(
  (text) => /^\d{4}-(?:0[1-9]|1[0-2])$/.test(text) && text <= new Date().toISOString().slice(0, 7),
  'must be a month such as 2026-01, and must not be later than this month',
)

interface ExpireOptions {
  readonly before: string
  readonly key?: readonly string[]
  readonly dryRun?: true
}

/** Runs as the schema's owner, because the service's own role cannot delete. */
export const expireCommand = (audit: Command) =>
  withKeys(audit.command('expire'))
    .description('drop whole months of the log; the rest can still be verified')
    .requiredOption('--before <month>', 'drop the months before this one (UTC), such as 2026-01', month)
    .option('--dry-run', 'print what would be dropped, and drop nothing')
    .action(async ({ before, key: keyFiles = [], dryRun }: ExpireOptions) => {
      // A log with faults keeps its evidence.
      const { faults } = (await verifyAll(keyFiles, 'verifying the log first')).verdict
      if (faults > 0)
        throw new StartError(
          `nothing was dropped: the log is not intact (${counted(faults, 'fault')}; see linkgate audit verify)`,
        )
      const config = settings()
      const key = await loadSigningKey(config.signingKeyFile)
      const options = { before, key, dryRun: dryRun === true }
      const expired = await withOwner(config, (client) => expireMonths(client, options))
      const done = dryRun ? 'would drop' : 'dropped'
      print(
        expired.map(({ month, entries }) => `${done}  ${month}  ${entryCount(entries)}`).join('\n') ||
          `there is nothing before ${before}`,
      )
    })

/** Verifies the log with the installation's key, and the earlier ones in these PEM files. */
const verifyAll = (keyFiles: readonly string[], progress: string) =>
  withDatabase(async (database, { signingKeyFile }) => {
    // an auditor may have been given the keys alone
    const isOnlyGiven = keyFiles.length > 0 && !existsSync(signingKeyFile)
    const own = isOnlyGiven ? null : await loadSigningKey(signingKeyFile)
    const keys = new Map(await Promise.all(keyFiles.map(readKey)))
    if (own !== null) keys.set(own.kid, own.publicKey)
    const faults: LogFault[] = []
    const onFault = (fault: LogFault) => {
      if (faults.length < SHOWN) faults.push(fault)
    }
    const verdict = await withProgress(progress, (show) =>
      verifyLog(database, {
        keys,
        onFault,
        onProgress: (done, of) => show(`${progress}: ${number(done)} of ${entryCount(of)}`, of === 0 ? 1 : done / of),
      }),
    )
    return { verdict, faults }
  })

const readKey = async (file: string) => {
  const pem = await readFile(file, 'utf8')
  return publicKeyOf(pem).catch(() => {
    throw new UsageError(`${file} is not a key in PEM form`)
  })
}

const entryCount = (count: number) => counted(count, 'entry', 'entries')

const render = (verdict: LogVerdict, faults: readonly LogFault[]): string => {
  const { chains, retired, checkpoint, faults: found } = verdict
  const all = `${entryCount(verdict.entries)} in ${counted(chains, 'chain')}`
  const what = retired === 0 ? all : `${all}, after ${entryCount(retired)} that expired`
  if (found === 0)
    return checkpoint === null
      ? `intact: ${what}; no checkpoint was signed yet that could prove more`
      : `intact: ${what}; matches the checkpoint signed at ${checkpoint}`
  return [
    `NOT intact: ${counted(found, 'fault')} in ${what}`,
    ...faults.map(faultText),
    ...(found > faults.length ? [`and ${number(found - faults.length)} more`] : []),
  ].join('\n')
}

const faultText = (fault: LogFault): string => {
  if (fault.kind === 'checkpoint') return `checkpoint ${fault.id} ${fault.why}`
  const { kind, writer, seq, id, last = seq } = fault
  if (kind !== 'missing') return `${kind.padEnd(8)}  record ${id ?? '?'} (entry ${seq} of chain ${writer})`
  return `missing   ${last === seq ? `entry ${seq}` : `entries ${seq} to ${last}`} of chain ${writer}`
}
