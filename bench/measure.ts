/** A measured subject: `run` performs `batch` operations. */
export interface Subject {
  readonly name: string
  /** operations per call of `run` */
  readonly batch: number
  readonly run: () => void | Promise<void>
  /** cleans up after each `run`, outside the measurement */
  readonly after?: () => Promise<void>
}

export interface Measured {
  readonly name: string
  /** nanoseconds per operation, one figure per round */
  readonly rounds: readonly number[]
  readonly median: number
  readonly lowest: number
  readonly highest: number
}

export const medianOf = (figures: readonly number[]): number =>
  figures.toSorted((a, b) => a - b)[Math.floor(figures.length / 2)] ?? Number.NaN

/**
 * A subject's ratio to the baseline: the median of the ratios of each round, so that a temporarily slower machine slows
 * down both.
 */
export const timesBaseline = (subject: Measured, baseline: Measured): number =>
  subject.rounds.length === baseline.rounds.length
    ? medianOf(subject.rounds.map((figure, round) => figure / (baseline.rounds[round] ?? Number.NaN)))
    : subject.median / baseline.median

/**
 * Measures subjects side by side: warms up all, then runs rounds in which each has its turn, so that background load
 * affects all of them alike. Figures are nanoseconds per operation; quote medians, and `timesBaseline`.
 */
export const measure = async (
  subjects: readonly Subject[],
  { rounds = 7, warmups = 2 } = {},
): Promise<readonly Measured[]> => {
  const figures = new Map(subjects.map(({ name }): [string, number[]] => [name, []]))
  for (let round = -warmups; round < rounds; round += 1) {
    for (const { name, batch, run, after } of subjects) {
      const start = process.hrtime.bigint()
      await run()
      const spent = Number(process.hrtime.bigint() - start) / batch
      await after?.()
      if (round >= 0) figures.get(name)?.push(spent)
    }
  }
  return [...figures].map(([name, list]) => ({
    name,
    rounds: list,
    median: medianOf(list),
    lowest: Math.min(...list),
    highest: Math.max(...list),
  }))
}
