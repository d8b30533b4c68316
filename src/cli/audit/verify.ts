import { Command } from 'commander'

import { verifyLog } from '../../audit/verify-log.js'
import type { LogFault, LogVerdict } from '../../audit/verify-log.js'
import { AnswerIsNo } from '../answer-is-no.js'
import { counted } from '../policy/render.js'
import { withProgress } from '../progress.js'
import { print, withDatabase } from '../session.js'
import { checkpointKeys } from './keys.js'

/** Faults that are told one by one; how many there are is counted to the end. */
const TOLD = 20

const collect = (file: string, files: readonly string[]): readonly string[] => [...files, file]

/** `linkgate audit verify`: exit code 0 where every entry is as it was written, else 1 and the first that are not. */
export const verifyCommand = (): Command =>
  new Command('verify')
    .description('walk the hash chains of the decision log, and name what was altered, removed or inserted')
    .option(
      '--key <file>',
      'an earlier signing key (PEM) whose checkpoints are kept; may be given several times',
      collect,
      [],
    )
    .option('--json', 'as JSON')
    .action(async ({ key, json }: { readonly key: readonly string[]; readonly json?: true }) => {
      const faults: LogFault[] = []
      const verdict = await withDatabase(async (database, config) => {
        const keys = await checkpointKeys(config, key)
        return withProgress('reading the log', ({ tell }) =>
          verifyLog(database, {
            keys,
            onFault: (fault) => {
              if (faults.length < TOLD) faults.push(fault)
            },
            onProgress: (done, of) =>
              tell(`${done.toLocaleString('en')} of ${counted(of, 'entry', 'entries')}`, of === 0 ? 1 : done / of),
          }),
        )
      })
      print(
        json
          ? JSON.stringify({ whole: verdict.faults === 0, ...verdict, faults, faults_found: verdict.faults })
          : render(verdict, faults),
      )
      if (verdict.faults > 0) throw new AnswerIsNo()
    })

const render = (verdict: LogVerdict, faults: readonly LogFault[]): string => {
  const { entries, chains, retired, checkpoint, faults: found } = verdict
  const what = `${counted(entries, 'entry', 'entries')} in ${counted(chains, 'chain')}${retired === 0 ? '' : `, ${counted(retired, 'entry', 'entries')} retired before`}`
  if (found === 0) {
    return `whole: ${what}; ${checkpoint === null ? 'no checkpoint is there yet, so nothing but the chains themselves was held against them' : `as signed at ${checkpoint} and since`}`
  }
  return [
    `NOT whole: ${counted(found, 'fault')} in ${what}`,
    ...faults.map(faultText),
    ...(found > faults.length ? [`and ${(found - faults.length).toLocaleString('en')} more`] : []),
  ].join('\n')
}

const faultText = (fault: LogFault): string => {
  if (fault.kind === 'checkpoint') return `checkpoint ${fault.id} ${fault.why}`
  const { kind, writer, seq, id, last } = fault
  if (kind === 'missing')
    return `missing   ${last === undefined || last === seq ? `entry ${seq}` : `entries ${seq} to ${last}`} of chain ${writer}`
  return `${kind.padEnd(8)}  record ${id ?? '?'} (entry ${seq} of chain ${writer})`
}
