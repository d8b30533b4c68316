/**
 * The comparison of a number with the previous one. `share`: relative to the previous one; 0.31 is 31% more, or fewer.
 */
export type Comparison =
  | { readonly is: 'same' }
  | { readonly is: 'first' }
  | { readonly is: 'more'; readonly share: number }
  | { readonly is: 'fewer'; readonly share: number }

/** Rounded shares count: 1,000 and 1,004 are the same. `first`: there were none before. */
export const compare = (now: number, before: number): Comparison => {
  if (before === 0) return { is: now === 0 ? 'same' : 'first' }
  const share = Math.abs(now - before) / before
  if (share < 0.005) return { is: 'same' }
  return { is: now > before ? 'more' : 'fewer', share }
}
