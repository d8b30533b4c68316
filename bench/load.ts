import autocannon from 'autocannon'

import type { BenchServer } from './server.js'

export interface LoadSubject {
  readonly name: string
  readonly server: BenchServer
  readonly request: () => { readonly method?: 'GET' | 'PATCH' | 'POST'; readonly path: string; readonly body?: string }
  readonly headers?: Readonly<Record<string, string>>
  readonly status: number
  /** resolves when what the load left behind is done: its processor time counts, and nobody else bears it */
  readonly settled?: () => Promise<void>
}

export interface LoadFigures {
  readonly name: string
  /** requests a second, one figure a round */
  readonly rate: readonly number[]
  /** microseconds of the server's processor time a request, one figure a round */
  readonly cpu: readonly number[]
  /** the same with the database's; undefined where no database was named */
  readonly cpuWithDatabase: readonly number[] | undefined
}

/** A server that was just started is still compiling its hot code. */
const WARM_UP = 3

export interface LoadOptions {
  readonly rounds?: number
  readonly seconds?: number
  readonly connections?: number
  /** warm-up rounds */
  readonly warmUp?: number
  /** the database shared by the subjects */
  readonly database?: { cpuSeconds(): Promise<number> }
}

/**
 * Loads servers side by side: rounds that warm them up, then rounds in which each has its turn. Throws where an answer
 * has another status than it should: a figure of refusals is none.
 */
export const load = async (
  subjects: readonly LoadSubject[],
  { rounds = 5, seconds = 2, connections = 16, warmUp = WARM_UP, database }: LoadOptions = {},
): Promise<readonly LoadFigures[]> => {
  const figures = subjects.map((subject) => ({ subject, rate: [], cpu: [], database: [] }) as Collected)
  for (let round = -warmUp; round < rounds; round += 1) {
    // Every round begins with the next subject, so that none is always the first, or the last, of a round.
    const first = (round + warmUp) % figures.length
    for (const { subject, ...collected } of [...figures.slice(first), ...figures.slice(0, first)]) {
      const before = [await subject.server.cpuSeconds(), await database?.cpuSeconds()]
      const { total, duration } = await fire(subject, { seconds, connections })
      await subject.settled?.()
      const spent = (await subject.server.cpuSeconds()) - (before[0] ?? 0)
      const spentByDatabase = ((await database?.cpuSeconds()) ?? 0) - (before[1] ?? 0)
      if (round < 0) continue
      collected.rate.push(total / duration)
      collected.cpu.push((spent / total) * 1e6)
      collected.database.push(((spent + spentByDatabase) / total) * 1e6)
    }
  }
  return figures.map(({ subject, rate, cpu, database: both }) => ({
    name: subject.name,
    rate,
    cpu,
    cpuWithDatabase: database === undefined ? undefined : both,
  }))
}

interface Collected {
  readonly subject: LoadSubject
  readonly rate: number[]
  readonly cpu: number[]
  readonly database: number[]
}

const fire = async (
  { name, server, request, headers = {}, status }: LoadSubject,
  { seconds, connections }: { readonly seconds: number; readonly connections: number },
) => {
  const options = {
    url: server.url,
    connections,
    duration: seconds,
    headers: { ...headers },
    requests: [{ setupRequest: (given: object) => ({ ...given, ...request() }) }],
    ignoreTimeoutAverages: true,
  }
  const { errors, requests, duration, statusCodeStats = {} } = await autocannon(options)
  const right = statusCodeStats[`${status}`]?.count ?? 0
  if (errors > 0 || right !== requests.total) {
    const wrong = requests.total - right
    throw new Error(`${name}: ${errors} errors, ${wrong} answers without ${status}: ${JSON.stringify(statusCodeStats)}`)
  }
  return { total: requests.total, duration }
}
