const MINUTES = { m: 1, h: 60, d: 1_440 } as const
const LONGEST = 90 * MINUTES.d
const FORM = /^([1-9]\d{0,5})([mhd])$/

export const WINDOW_RULE = 'must be a time back from now, such as 30m, 24h or 7d: 1m to 90d'

const isUnit = (text: string | undefined): text is keyof typeof MINUTES =>
  text !== undefined && Object.hasOwn(MINUTES, text)

/** How far back a replay looks, in minutes; null for what is no such time, or one longer than 90 days. */
export const minutesOf = (text: string): number | null => {
  const [, count, unit] = FORM.exec(text) ?? []
  if (!isUnit(unit)) return null
  const minutes = Number(count) * MINUTES[unit]
  return minutes > LONGEST ? null : minutes
}
