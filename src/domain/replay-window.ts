/** A time span of past decisions, counted back from now. */
export interface ReplayWindow {
  /** as the caller wrote it, such as `24h` */
  readonly window: string
  readonly minutes: number
}

const MINUTES: Readonly<Record<string, number>> = { m: 1, h: 60, d: 1_440 }
const LONGEST = 90 * 1_440

export const WINDOW_RULE = 'must be a time back from now, such as 30m, 24h or 7d: 1m to 90d'

/** Parses a window such as `24h`; null if it breaks WINDOW_RULE. */
export const parseWindow = (text: string): ReplayWindow | null => {
  const [, count, unit] = /^([1-9]\d{0,5})([mhd])$/.exec(text) ?? []
  const minutes = Number(count) * (MINUTES[unit ?? ''] ?? Number.NaN)
  return minutes <= LONGEST ? { window: text, minutes } : null
}
