import { textIn } from '../../parts/narrow.js'

/** An entry of the decision log, as the service sends it. */
interface SentEntry {
  readonly id: string
  readonly time: string
  readonly kind: string
  readonly request_id: string
  readonly revision: number
  readonly subject: Readonly<Record<string, unknown>>
  readonly resource: Readonly<Record<string, unknown>>
  readonly change?: Readonly<Record<string, unknown>> | undefined
  readonly [more: string]: unknown
}

export interface Decided {
  readonly action: string
  readonly effect: 'allow' | 'deny'
  readonly rule: string
  readonly layer: string
  readonly status: number
}

export interface LogLine {
  readonly id: string
  readonly time: string
  readonly kind: string
  readonly request: string
  readonly revision: number
  readonly who: { readonly id: string | null; readonly role: string | null; readonly network: string | null }
  readonly token: string | null
  readonly record: { readonly type: string; readonly id: string | null; readonly code: string | null }
  /** null: a change without a decision */
  readonly decided: Decided | null
  readonly change: Readonly<Record<string, unknown>> | null
}

export const logLine = (sent: SentEntry): LogLine => {
  const { subject, resource, change = null } = sent
  const { status } = sent
  const [action, rule, layer] = [textIn(sent['action']), textIn(sent['rule']), textIn(sent['layer'])]
  return {
    id: sent.id,
    time: sent.time,
    kind: sent.kind,
    request: sent.request_id,
    revision: sent.revision,
    who: { id: textIn(subject['id']), role: textIn(subject['role']), network: textIn(subject['network']) },
    token: textIn(sent['token_id']),
    record: { type: textIn(resource['type']) ?? '', id: textIn(resource['id']), code: textIn(resource['code']) },
    decided:
      sent.kind === 'decision' && action !== null
        ? {
            action,
            effect: sent['effect'] === 'allow' ? 'allow' : 'deny',
            rule: rule ?? '',
            layer: layer ?? '',
            status: typeof status === 'number' ? status : 0,
          }
        : null,
    change,
  }
}

/** Newest first; ids may arrive late, because they are assigned before the commit. */
export const byNewest = (a: { readonly id: string }, b: { readonly id: string }): number => {
  const [one, other] = [BigInt(a.id), BigInt(b.id)]
  return one === other ? 0 : one > other ? -1 : 1
}

/** A line, and older identical ones directly below it. */
export interface Fold {
  readonly line: LogLine
  readonly alike: readonly LogLine[]
}

const LEAST = 3

const sameness = ({ who, token, record, decided, change, revision }: LogLine): string | null =>
  decided === null || change !== null ? null : JSON.stringify([who, token, record, decided, revision])

/** Folds runs of identical lines. Nothing is left out, and the order stays. */
export const foldLines = (lines: readonly LogLine[]): readonly Fold[] => {
  const runs: LogLine[][] = []
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

/** Lines grouped by the day that a function returns, in order. */
export const byDay = (
  lines: readonly LogLine[],
  dayOf: (time: string) => string,
): readonly { readonly day: string; readonly lines: readonly LogLine[] }[] => {
  const days: { readonly day: string; readonly lines: LogLine[] }[] = []
  for (const line of lines) {
    const day = dayOf(line.time)
    const last = days.at(-1)
    if (last?.day === day) last.lines.push(line)
    else days.push({ day, lines: [line] })
  }
  return days
}
