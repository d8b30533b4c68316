import type { Decision, LogEntry } from 'linkgate/client'

/** Any other entry is a change without a decision. */
export const isDecision = (entry: LogEntry): entry is Decision => entry.kind === 'decision'

/** Newest first; ids may arrive late, because they are assigned before the commit. */
export const byNewest = (a: { readonly id: string }, b: { readonly id: string }): number => {
  const [one, other] = [BigInt(a.id), BigInt(b.id)]
  return one === other ? 0 : one > other ? -1 : 1
}

/** A line, and older identical ones directly below it. */
export interface Fold {
  readonly line: LogEntry
  readonly alike: readonly LogEntry[]
}

const LEAST = 3

/** What a line says, apart from when; null for a change. */
const sameness = (line: LogEntry): string | null => {
  if (!isDecision(line) || line.change !== undefined) return null
  const { subject, token_id: token, resource, action, effect, rule, layer, status, revision } = line
  return JSON.stringify([subject, token, resource, action, effect, rule, layer, status, revision])
}

/** Folds runs of identical lines. Nothing is left out, and the order stays. */
export const foldLines = (lines: readonly LogEntry[]): readonly Fold[] => {
  const runs: LogEntry[][] = []
  for (const line of lines) {
    const run = runs.at(-1)
    const first = run?.[0]
    const same = sameness(line)
    if (run !== undefined && first !== undefined && same !== null && sameness(first) === same) run.push(line)
    else runs.push([line])
  }
  return runs.flatMap((run) => {
    const [line, ...alike] = run
    if (line !== undefined && run.length >= LEAST) return [{ line, alike }]
    return run.map((each) => ({ line: each, alike: [] }))
  })
}

/**
 * Lines grouped by the day that a function returns, in order; each day once, though their order is that of their ids,
 * not of their times.
 */
export const byDay = (
  lines: readonly LogEntry[],
  dayOf: (time: string) => string,
): readonly { readonly day: string; readonly lines: readonly LogEntry[] }[] => {
  const days = new Map<string, LogEntry[]>()
  for (const line of lines) {
    const day = dayOf(line.time)
    const known = days.get(day)
    if (known === undefined) days.set(day, [line])
    else known.push(line)
  }
  return [...days].map(([day, ofDay]) => ({ day, lines: ofDay }))
}
