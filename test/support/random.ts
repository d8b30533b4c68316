/** A seeded source of chance (mulberry32): the same numbers on every run. */
export const random = (seed: number) => {
  let state = seed
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
  const integer = (from: number, to: number): number => from + Math.floor(next() * (to - from + 1))
  return {
    /** from 0, up to but not 1 */
    next,
    /** from `from` to `to`, both included */
    integer,
    pick: <T>(values: readonly [T, ...T[]]): T => values[integer(0, values.length - 1)] ?? values[0],
  }
}
