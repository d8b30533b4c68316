/** `decision`: an answer of the layers. The others: a change, by a request, the command line or SQL. */
export const ENTRY_KINDS = ['decision', 'link', 'user', 'policy', 'audit'] as const
export type EntryKind = (typeof ENTRY_KINDS)[number]

/** Selects entries of the decision log that match every given field. */
export interface LogFilter {
  /** default: all kinds */
  readonly kind?: EntryKind | undefined
  /** id of the user */
  readonly user?: string | undefined
  /** entries about one link: its id, or a code that it has or had, for those under that code */
  readonly link?: string | undefined
  readonly request?: string | undefined
  readonly action?: string | undefined
  readonly effect?: 'allow' | 'deny' | undefined
  readonly rule?: string | undefined
  readonly layer?: DecidingLayer | undefined
  /** a number, or a class such as `4xx` */
  readonly status?: string | undefined
  readonly revision?: number | undefined
  /** ISO 8601; from is inclusive, to is not */
  readonly from?: string | undefined
  readonly to?: string | undefined
  /** only entries with greater ids */
  readonly after?: string | undefined
}

/** The layers that decide, as the log names them. */
export const DECIDING_LAYERS = ['gateway', 'endpoint', 'object', 'data'] as const
export type DecidingLayer = (typeof DECIDING_LAYERS)[number]

/** The range of statuses that a text means, first to last; null if it is not a status or a class. */
export const statusRange = (text: string): readonly [number, number] | null => {
  const [, digit, rest] = /^([1-5])(\d\d|xx)$/.exec(text) ?? []
  if (digit === undefined || rest === undefined) return null
  return rest === 'xx' ? [Number(`${digit}00`), Number(`${digit}99`)] : [Number(text), Number(text)]
}
