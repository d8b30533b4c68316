import { Agent, request } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'

import { openBenchDatabase } from './database.js'
import type { Suite } from './report.js'
import { collectServers, startLinkgate, type BenchServer } from './server.js'

const PROCESSES = 4
const EDITS = 100
/** Not timed: the code is compiled by then. */
const WARMUPS = 5
const BETWEEN_MS = 2
const REACHED_WITHIN_MS = 10_000

const percentile = (figures: readonly number[], part: number): number =>
  figures.toSorted((a, b) => a - b)[Math.min(figures.length - 1, Math.floor(figures.length * part))] ?? Number.NaN

/**
 * From the moment an edit is sent until its revision is in force on each of four processes, as their answers say: until
 * the first answer that was decided under it has arrived. Each process is asked for a redirect, one at a time, over a
 * connection that is kept, and again 2 ms after its answer, which the figures include. Asked without a pause, four
 * services and this process keep every core busy with questions, and what is timed is mostly those.
 */
export const propagationSuite = async (): Promise<Suite> => {
  const database = await openBenchDatabase()
  const { servers, started, stopAll } = collectServers()
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  try {
    for (let i = 0; i < PROCESSES; i += 1) await started(startLinkgate(database.environment()))
    await database.addLinks(1, 1)
    const row = {
      ptype: 'p',
      priority: 505,
      rule: 'BENCH',
      role: 'editor',
      action: 'link:update',
      reach: 'any',
      effect: 'deny',
    }
    const revisionAt = ({ url }: BenchServer) =>
      new Promise<number>((resolve, reject) => {
        request(`${url}/bench-1`, { agent }, (response) => {
          response
            .resume()
            .once('end', () => resolve(Number(response.headers['policy-revision'])))
            .once('error', reject)
        })
          .once('error', reject)
          .end()
      })
    const edit = async (revision: number): Promise<readonly number[]> => {
      const start = performance.now()
      const editing = fetch(`${servers[revision % PROCESSES]?.url}/policy/changes`, {
        method: 'POST',
        headers: {
          authorization: database.admin.authorization,
          'content-type': 'application/json',
          'if-match': `"${revision}"`,
        },
        body: JSON.stringify({
          add: revision % 2 === 1 ? [row] : [],
          remove: revision % 2 === 1 ? [] : [row],
          reason: 'measured',
        }),
      })
      const required = async () => {
        const answer = await editing
        if (!answer.ok) throw new Error(`the edit was answered ${answer.status}: ${await answer.text()}`)
        await answer.arrayBuffer()
      }
      const reached = async (server: BenchServer) => {
        const end = start + REACHED_WITHIN_MS
        while ((await revisionAt(server)) <= revision) {
          if (performance.now() > end) throw new Error(`revision ${revision + 1} did not reach ${server.url}`)
          await pause(BETWEEN_MS)
        }
        return performance.now() - start
      }
      const [figures] = await Promise.all([Promise.all(servers.map(reached)), required()])
      return figures
    }
    const figures: number[] = []
    for (let revision = 1; revision <= EDITS + WARMUPS; revision += 1) {
      const reached = await edit(revision)
      if (revision > WARMUPS) figures.push(...reached.map((milliseconds) => milliseconds * 1e6))
    }
    const at = (name: string, value: number) => ({
      name,
      rounds: [value],
      median: value,
      lowest: Math.min(...figures),
      highest: Math.max(...figures),
    })
    return {
      title: `A policy edit in force on ${PROCESSES} processes (${EDITS} edits)`,
      baseline: 'median',
      unit: 'ms',
      measured: [at('median', percentile(figures, 0.5)), at('99th percentile', percentile(figures, 0.99))],
    }
  } finally {
    agent.destroy()
    await stopAll()
    await database.close()
  }
}
