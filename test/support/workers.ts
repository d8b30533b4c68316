import type { ServiceNode } from './node.js'

/** The processes that answer requests of a node, oldest first, by what its log says of them. */
export const workerPids = (node: Pick<ServiceNode, 'output'>): readonly number[] =>
  [...node.output().matchAll(/"pid":(\d+)[^\n]*"a worker is ready"/g)].map(([, pid]) => Number(pid))

/** Resolves as soon as what the node wrote is as expected. */
export const untilSaid = (node: ServiceNode, isSaid: (output: string) => boolean): Promise<void> =>
  new Promise((resolve, reject) => {
    const look = () => {
      if (!isSaid(node.output())) return
      node.child.stdout?.off('data', look)
      node.child.off('exit', gone)
      resolve()
    }
    const gone = () => reject(new Error(`the node ended: ${node.output()}`))
    node.child.stdout?.on('data', look)
    node.child.once('exit', gone)
    look()
  })

/** Resolves when none of the processes lives. */
export const untilGone = async (
  pids: readonly number[],
  isRunning: (pid: number) => Promise<boolean>,
): Promise<void> => {
  while ((await Promise.all(pids.map(isRunning))).includes(true))
    await new Promise((resolve) => {
      setTimeout(resolve, 20)
    })
}

/** Resolves when the node takes no new connection: it refuses one, or nobody answers on it any more. */
export const untilRefused = async ({ baseUrl }: Pick<ServiceNode, 'baseUrl'>): Promise<void> => {
  while (
    await fetch(`${baseUrl}/healthz`, { signal: AbortSignal.timeout(1_000) }).then(
      () => true,
      () => false,
    )
  );
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
