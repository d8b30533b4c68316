/** The most steps from zero to the top of an axis. */
const MOST_STEPS = 4

/** Round numbers for an axis from 0 up; the last one is not below `most`. */
export const ticksOf = (most: number): readonly number[] => {
  const step = roundStep(most / MOST_STEPS)
  const steps = Math.max(1, Math.ceil(most / step))
  return Array.from({ length: steps + 1 }, (_, i) => i * step)
}

/** The smallest of 1, 2, 5, 10, 20, … that is not below a number, because visits are whole numbers. */
const roundStep = (least: number): number => {
  for (let power = 1; ; power *= 10) for (const factor of [1, 2, 5]) if (factor * power >= least) return factor * power
}

/** Familiar steps for hours, days and weeks. */
const KNOWN_STEPS = [1, 2, 3, 4, 6, 7, 12, 13, 14, 26]

/** Which of `count` points get a label: the first, and every nth after it, at most `most` of them. */
export const labelled = (count: number, most: number): readonly number[] => {
  const room = Math.max(1, most)
  const step = KNOWN_STEPS.find((each) => Math.ceil(count / each) <= room) ?? Math.ceil(count / room)
  return Array.from({ length: Math.ceil(count / step) }, (_, i) => i * step)
}
