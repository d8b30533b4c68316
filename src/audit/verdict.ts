/** How many faults are kept; all are counted. */
const MOST_KEPT = 20

/** Keeps the first faults that a verification finds. */
export const keepFaults = <Fault>() => {
  const faults: Fault[] = []
  const onFault = (fault: Fault) => {
    if (faults.length < MOST_KEPT) faults.push(fault)
  }
  return { faults, onFault }
}

/** A verdict as programs read it: over HTTP, and with `--json`. `faults`: those that were kept. */
export const viewVerdict = <Verdict extends { readonly faults: number }, Fault>(
  { faults: found, ...verdict }: Verdict,
  faults: readonly Fault[],
) => ({ whole: found === 0, ...verdict, faults, faults_found: found })
