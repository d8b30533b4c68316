import { openBenchDatabase } from './database.js'
import type { Suite } from './report.js'
import { startLinkgate } from './server.js'
import type { BenchServer } from './server.js'

const PROCESSES = 4
const EDITS = 100

const percentile = (figures: readonly number[], part: number): number => figures.toSorted((a, b) => a - b)[Math.min(figures.length - 1, Math.floor(figures.length * part))] ?? Number.NaN

/** From the moment an edit is sent until its revision is in force on each of four processes, as their answers say. */
export const propagationSuite = async (): Promise<Suite> => {
  const database = await openBenchDatabase()
  const servers: BenchServer[] = []
  try {
    for (let i = 0; i < PROCESSES; i += 1) servers.push(await startLinkgate(database.environment()))
    await database.addLinks(1, 1)
    const row = { ptype: 'p', priority: 505, rule: 'BENCH', role: 'editor', action: 'link:update', reach: 'any', effect: 'deny' }
    const revisionAt = async ({ url }: BenchServer) => {
      const response = await fetch(`${url}/links/bench-1`)
      await response.arrayBuffer()
      return Number(response.headers.get('policy-revision'))
    }
    const edit = async (revision: number): Promise<readonly number[]> => {
      const began = performance.now()
      const editing = fetch(`${servers[revision % PROCESSES]?.url}/policy/changes`, {
        method: 'POST', headers: { authorization: database.admin.authorization, 'content-type': 'application/json', 'if-match': `"${revision}"` },
        body: JSON.stringify({ add: revision % 2 === 1 ? [row] : [], remove: revision % 2 === 1 ? [] : [row], reason: 'measured' }),
      })
      const reached = await Promise.all(servers.map(async (server) => {
        while (await revisionAt(server) <= revision);
        return performance.now() - began
      }))
      const answer = await editing
      if (!answer.ok) throw new Error(`the edit was answered ${answer.status}: ${await answer.text()}`)
      await answer.arrayBuffer()
      return reached
    }
    const figures: number[] = []
    for (let revision = 1; revision <= EDITS + 5; revision += 1) {
      const reached = await edit(revision)
      if (revision > 5) figures.push(...reached.map((milliseconds) => milliseconds * 1e6))
    }
    const at = (name: string, value: number) => ({ name, rounds: [value], median: value, lowest: Math.min(...figures), highest: Math.max(...figures) })
    return { title: `A policy edit in force on ${PROCESSES} processes (${EDITS} edits)`, baseline: 'median', unit: 'ms', measured: [at('median', percentile(figures, 0.5)), at('99th percentile', percentile(figures, 0.99))] }
  } finally {
    for (const server of servers) await server.stop()
    await database.close()
  }
}
