/** Counts stop here, so that their cost is bounded; a larger total is shown as this number. */
export const MOST_COUNTED = 10_000
