import { rm } from 'node:fs/promises'

import type { Context, RootHookObject } from 'mocha'

import { removeClusters } from './cluster.js'
import { makeTemporaryFolder, removeTemporaryFolders } from './temporary-folder.js'
import { turnsIn, type Turn } from './turns.js'

/** Files that hold what follows a fault against a time: nothing runs beside them. */
const ALONE =
  /\/test\/(?:cluster\/workers|database\/(?:pgbouncer|replica)|layers\/1-gateway\/(?:rate-limit-(?:cluster|redis)|redis-away)|resilience\/(?:database|slow-clients))\.test/

/** Where the workers of this run find each other: set by the process that forks them. */
const TURNS = 'LINKGATE_TEST_TURNS'

let turn: Turn | undefined

/**
 * What mocha runs once, before and after all files, in the process that was started (.mocharc.json names this file).
 */
export const mochaGlobalSetup = async (): Promise<void> => {
  process.env[TURNS] = await makeTemporaryFolder('linkgate-turns-')
}

export const mochaGlobalTeardown = async (): Promise<void> => {
  await removeClusters()
  const { [TURNS]: folder } = process.env
  if (folder !== undefined) await rm(folder, { recursive: true, force: true })
}

/** What mocha runs around each file in a worker, around the whole run where there are no workers. */
export const mochaHooks: RootHookObject = {
  async beforeAll(this: Context) {
    const { [TURNS]: folder, MOCHA_WORKER_ID: worker } = process.env
    if (folder === undefined || worker === undefined) return
    this.timeout(0)
    const turns = turnsIn(folder, worker)
    const isAlone = this.test?.parent?.suites.some(({ file = '' }) => ALONE.test(file))
    turn = await (isAlone ? turns.alone() : turns.beside())
  },
  async afterAll(this: Context) {
    this.timeout(0)
    await removeTemporaryFolders()
    await turn?.release()
  },
}
