/** Counting ends there: who has more is told this number, at a price that does not grow. */
export const MOST_COUNTED = 10_000
