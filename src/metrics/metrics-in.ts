import { Counter, Gauge, Histogram, type Registry } from 'prom-client'

/** How gauges of several processes are aggregated. Counters and histograms are always summed. */
type Aggregator = 'sum' | 'min' | 'max'

/** Creates metrics in a registry. */
export const metricsIn = (registry: Registry) => {
  const named = (name: string, help: string) => ({ name, help, registers: [registry] })
  return {
    counter: <Label extends string = never>(name: string, help: string, labelNames: Label[] = []) =>
      new Counter({ ...named(name, help), labelNames }),
    histogram: <Label extends string = never>(
      name: string,
      help: string,
      buckets: number[],
      labelNames: Label[] = [],
    ) => new Histogram({ ...named(name, help), buckets, labelNames }),
    /** If `read` returns null, because the value is unknown, the gauge is omitted. */
    gauge: (name: string, help: string, aggregator: Aggregator, read: () => number | boolean | null): void => {
      const metric = new Gauge({
        ...named(name, help),
        aggregator,
        collect: () => {
          const value = read()
          if (value === null) metric.remove()
          else metric.set(Number(value))
        },
      })
    },
    /** A counter whose value is read from elsewhere. */
    total: (name: string, help: string, read: () => number): void => {
      const metric = new Counter({
        ...named(name, help),
        collect: () => {
          metric.reset()
          metric.inc(read())
        },
      })
    },
  }
}

export type MetricsIn = ReturnType<typeof metricsIn>
