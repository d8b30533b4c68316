import { Histogram } from 'prom-client'
import type { Registry } from 'prom-client'

export interface HistogramOptions<Names extends readonly string[]> {
  readonly name: string
  readonly help: string
  readonly labelNames: Names
  /** upper bounds of the buckets, ascending; another one is for what is above them all */
  readonly buckets: readonly number[]
  readonly registers: readonly Registry[]
}

type Label = string | number

/** What was observed under one set of labels. */
interface Series {
  readonly labels: Readonly<Record<string, Label>>
  readonly counts: number[]
  sum: number
}

/** The way to a series: from the value of each label to that of the next. */
interface Branch {
  readonly next: Map<Label, Branch>
  series: Series | undefined
}

const branch = (): Branch => ({ next: new Map(), series: undefined })

/**
 * A histogram of prom-client's for what is observed several times a request: counted in arrays, under labels that are
 * given in the order of their names. prom-client by itself makes texts of labels and bounds at each observation; this
 * one makes them when it is read.
 */
export const createHistogram = <const Names extends readonly string[]>({
  name,
  help,
  labelNames,
  buckets,
  registers,
}: HistogramOptions<Names>) => {
  const all: Series[] = []
  const root = branch()

  const startSeries = (values: readonly Label[]): Series => {
    const labels = Object.fromEntries(labelNames.map((label, i) => [label, values[i] ?? '']))
    const series = { labels, counts: Array.from({ length: buckets.length + 1 }, () => 0), sum: 0 }
    all.push(series)
    return series
  }
  const seriesOf = (values: readonly Label[]): Series => {
    let at = root
    for (const value of values) {
      let next = at.next.get(value)
      if (next === undefined) at.next.set(value, (next = branch()))
      at = next
    }
    return (at.series ??= startSeries(values))
  }
  // as prom-client has it: what has no labels is there before anything was observed
  if (labelNames.length === 0) seriesOf([])

  const values = () =>
    all.flatMap(({ labels, counts, sum }) => {
      let count = 0
      const cumulative = counts.map((each, i) => ({
        metricName: `${name}_bucket`,
        labels: { le: buckets[i] ?? '+Inf', ...labels },
        value: (count += each),
      }))
      return [
        ...cumulative,
        { metricName: `${name}_sum`, labels, value: sum },
        { metricName: `${name}_count`, labels, value: count },
      ]
    })
  const read = async () => ({ name, help, type: 'histogram', aggregator: 'sum', values: values() })
  Object.assign(new Histogram({ name, help, labelNames, buckets: [...buckets], registers: [...registers] }), {
    get: read,
    getForPromString: read,
  })

  return {
    observe: (value: number, ...labels: { readonly [Name in keyof Names]: Label }): void => {
      const series = seriesOf(labels)
      let bucket = 0
      while (value > (buckets[bucket] ?? Number.POSITIVE_INFINITY)) bucket += 1
      series.counts[bucket] = (series.counts[bucket] ?? 0) + 1
      series.sum += value
    },
  }
}
