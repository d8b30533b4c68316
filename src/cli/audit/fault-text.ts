import { viewVerdict } from '../../audit/verdict.js'
import type { EvidenceFault } from '../../audit/verify-evidence.js'
import type { LogFault } from '../../audit/verify-log.js'
import { counted, number } from '../../domain/counted.js'
import { AnswerIsNo } from '../errors.js'
import { print } from '../print.js'

type Fault = LogFault | EvidenceFault

export const entryCount = (count: number) => counted(count, 'entry', 'entries')

/** Prints a verdict: `text`, or JSON without it. Throws AnswerIsNo if the log or the file is not intact. */
export const printVerdict = (verdict: { readonly faults: number }, faults: readonly Fault[], text?: string): void => {
  print(text ?? JSON.stringify(viewVerdict(verdict, faults)))
  if (verdict.faults > 0) throw new AnswerIsNo()
}

/** The kept faults, and the number of the others. */
export const notIntact = (found: number, what: string, faults: readonly Fault[]): string =>
  [
    `NOT intact: ${counted(found, 'fault')} in ${what}`,
    ...faults.map(faultText),
    ...(found > faults.length ? [`and ${number(found - faults.length)} more`] : []),
  ].join('\n')

const faultText = (fault: Fault): string => {
  if (fault.kind === 'checkpoint') return `checkpoint ${fault.id} ${fault.why}`
  if (fault.kind === 'line') return `line ${fault.line} ${fault.why}`
  if (fault.kind === 'file') return `the file ${fault.why}`
  const { kind, writer, seq, id, last = seq } = fault
  if (kind !== 'missing') return `${kind.padEnd(8)}  record ${id ?? '?'} (entry ${seq} of chain ${writer})`
  return `missing   ${last === seq ? `entry ${seq}` : `entries ${seq} to ${last}`} of chain ${writer}`
}
