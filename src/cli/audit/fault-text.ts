import type { EvidenceFault } from '../../audit/verify-evidence.js'
import type { LogFault } from '../../audit/verify-log.js'
import { counted, number } from '../counted.js'

/** How many faults are printed and kept; all are counted. */
const SHOWN = 20

/** Keeps the first faults. */
export const keepFaults = <Fault>() => {
  const faults: Fault[] = []
  const onFault = (fault: Fault) => {
    if (faults.length < SHOWN) faults.push(fault)
  }
  return { faults, onFault }
}

export const entryCount = (count: number) => counted(count, 'entry', 'entries')

/** The kept faults, and the number of the others. */
export const notIntact = (found: number, what: string, faults: readonly (LogFault | EvidenceFault)[]): string =>
  [
    `NOT intact: ${counted(found, 'fault')} in ${what}`,
    ...faults.map(faultText),
    ...(found > faults.length ? [`and ${number(found - faults.length)} more`] : []),
  ].join('\n')

const faultText = (fault: LogFault | EvidenceFault): string => {
  if (fault.kind === 'checkpoint') return `checkpoint ${fault.id} ${fault.why}`
  if (fault.kind === 'line') return `line ${fault.line} ${fault.why}`
  if (fault.kind === 'file') return `the file ${fault.why}`
  const { kind, writer, seq, id, last = seq } = fault
  if (kind !== 'missing') return `${kind.padEnd(8)}  record ${id ?? '?'} (entry ${seq} of chain ${writer})`
  return `missing   ${last === seq ? `entry ${seq}` : `entries ${seq} to ${last}`} of chain ${writer}`
}
