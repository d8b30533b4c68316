import type { ServiceNode } from './node.js'
import { until } from './until.js'

/** The processes that answer requests of a node, oldest first, by what its log says of them. */
export const workerPids = (node: Pick<ServiceNode, 'output'>): readonly number[] =>
  [...node.output().matchAll(/"pid":(\d+)[^\n]*"a worker is ready"/g)].map(([, pid]) => Number(pid))

/** Resolves as soon as what the node wrote is as expected. */
export const untilSaid = async (node: ServiceNode, isSaid: (output: string) => boolean): Promise<void> => {
  await until(
    `the output meets ${isSaid}`,
    () => {
      if (isSaid(node.output())) return true
      if (node.child.exitCode !== null || node.child.signalCode !== null)
        throw new Error(`the node ended: ${node.output()}`)
      return false
    },
    { withinMs: 60_000 },
  )
}

/** Resolves when none of the processes lives. */
export const untilGone = async (
  pids: readonly number[],
  isRunning: (pid: number) => Promise<boolean>,
): Promise<void> => {
  await until(
    `the processes ${pids.join(', ')} are gone`,
    async () => !(await Promise.all(pids.map(isRunning))).includes(true),
    { withinMs: 60_000 },
  )
}

/** Resolves when the node takes no new connection: it refuses one, or nobody answers on it any more. */
export const untilRefused = async ({ baseUrl }: Pick<ServiceNode, 'baseUrl'>): Promise<void> => {
  await until('new connections are refused', () =>
    fetch(`${baseUrl}/healthz`, { signal: AbortSignal.timeout(1_000) }).then(
      () => false,
      () => true,
    ),
  )
}

/**
 * Runs each request over and over, on its own, until it is told to stop; then answers how many were done and what
 * failed.
 */
export const load = (
  requests: readonly (() => Promise<{ readonly status: number }>)[],
  isFine: (status: number) => boolean,
) => {
  const ending = new AbortController()
  let done = 0
  const failed: unknown[] = []
  const loops = requests.map(async (request) => {
    while (!ending.signal.aborted) {
      try {
        const { status } = await request()
        done += 1
        if (!isFine(status)) failed.push(status)
      } catch (error) {
        failed.push(error)
      }
    }
  })
  return {
    /** how many ended so far, well or not */
    ended: () => done + failed.length,
    stop: async () => {
      ending.abort()
      await Promise.all(loops)
      return { done, failed: failed.map(String) }
    },
  }
}
