/** A number with its thousands set apart, such as `2,000`. */
export const number = (count: number): string => count.toLocaleString('en')

/** A number and what is counted, such as `1 row` or `2,000 rows`. */
export const counted = (count: number, noun: string, nouns = `${noun}s`): string =>
  `${number(count)} ${count === 1 ? noun : nouns}`

/** Counts stop here, so that their cost is bounded; a larger total is shown as this number. */
export const MOST_COUNTED = 10_000
