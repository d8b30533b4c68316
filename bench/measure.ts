/** One thing that is measured: how often `run` can do `batch` of them. */
export interface Subject {
  readonly name: string
  /** how many operations one call of `run` does */
  readonly batch: number
  readonly run: () => void | Promise<void>
  /** clears up after each `run`, outside the measurement */
  readonly after?: () => Promise<void>
}

export interface Measured {
  readonly name: string
  /** nanoseconds an operation, one figure a round */
  readonly rounds: readonly number[]
  readonly median: number
  readonly lowest: number
  readonly highest: number
}

export const medianOf = (figures: readonly number[]): number =>
  figures.toSorted((a, b) => a - b)[Math.floor(figures.length / 2)] ?? Number.NaN

/**
 * How many times the baseline a subject is: the median of their ratios in each round, so that a machine that is slower
 * for a while is slower for both.
 */
export const timesBaseline = (subject: Measured, baseline: Measured): number =>
  subject.rounds.length === baseline.rounds.length
    ? medianOf(subject.rounds.map((figure, round) => figure / (baseline.rounds[round] ?? Number.NaN)))
    : subject.median / baseline.median

/**
 * Measures subjects side by side: a warm-up of all, then rounds in which each has its turn, so that what the machine
 * does beside us meets all of them alike. Figures are nanoseconds an operation; quote medians, and `timesBaseline`.
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
