import autocannon from 'autocannon'

import type { BenchServer } from './server.js'

export interface LoadSubject {
  readonly name: string
  readonly server: BenchServer
  readonly request: () => { readonly method?: 'GET' | 'PATCH'; readonly path: string; readonly body?: string }
  readonly headers?: Readonly<Record<string, string>>
  readonly status: number
}

export interface LoadFigures {
  readonly name: string
  /** requests a second, one figure a round */
  readonly rate: readonly number[]
  /** microseconds of the server's processor time a request, one figure a round */
  readonly cpu: readonly number[]
}

/**
 * Rounds that do not count: a server that was just started is still compiling what it runs most for some seconds of
 * load.
 */
const WARM_UP = 3

export interface LoadOptions {
  readonly rounds?: number
  readonly seconds?: number
  readonly connections?: number
}

/**
 * Loads servers side by side: rounds that warm them up, then rounds in which each has its turn. Throws where an answer
 * has another status than it should: a figure of refusals is none.
 */
export const load = async (
  subjects: readonly LoadSubject[],
  { rounds = 5, seconds = 2, connections = 16 }: LoadOptions = {},
): Promise<readonly LoadFigures[]> => {
  const figures = new Map(
    subjects.map(({ name }): [string, { rate: number[]; cpu: number[] }] => [name, { rate: [], cpu: [] }]),
  )
  for (let round = -WARM_UP; round < rounds; round += 1) {
    for (const { name, server, request, headers = {}, status } of subjects) {
      const before = await server.cpuSeconds()
      const result = await autocannon({
        url: server.url,
        connections,
        duration: seconds,
        headers: { ...headers },
        requests: [{ setupRequest: (given) => ({ ...given, ...request() }) }],
        ignoreTimeoutAverages: true,
      } as autocannon.Options)
      const spent = (await server.cpuSeconds()) - before
      const right = Object.entries(result.statusCodeStats ?? {}).reduce(
        (sum, [code, { count = 0 }]) => (Number(code) === status ? sum + count : sum),
        0,
      )
      if (result.errors > 0 || right !== result.requests.total)
        throw new Error(
          `${name}: ${result.errors} errors, ${result.requests.total - right} of ${result.requests.total} answers without ${status}: ${JSON.stringify(result.statusCodeStats)}`,
        )
      if (round < 0) continue
      figures.get(name)?.rate.push(result.requests.total / result.duration)
      figures.get(name)?.cpu.push((spent / result.requests.total) * 1e6)
    }
  }
  return [...figures].map(([name, { rate, cpu }]) => ({ name, rate, cpu }))
}
