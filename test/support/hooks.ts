import { rm } from 'node:fs/promises'
import { join } from 'node:path'

import { expect } from 'chai'
import type { Context, RootHookObject } from 'mocha'

import { claimDataDir } from '../../src/embedded-postgres/embedded-postgres.js'
import { dropDatabases, removeClusters } from './cluster.js'
import { machineLock, type HeldLock } from './machine-lock.js'
import { RUN_PREFIX, runFolder, setRunFolder, useMemory } from './run-folder.js'
import { makeTemporaryFolder, removeTemporaryFolders } from './temporary-folder.js'

/**
 * Files in which the service falls back to something less exact after 100 to 200 ms (Redis, the primary, the replica):
 * nothing runs beside them.
 */
const ALONE = /\/(?:cluster\/limits|replica|rate-limit-(?:cluster|redis)|redis-away)\.test/

let lock: HeldLock | undefined

/** Rejections that nothing handles: they would end a service, and mocha overlooks them in its workers. */
const unhandled: unknown[] = []
process.on('unhandledRejection', (reason) => unhandled.push(reason))

/**
 * What mocha runs once, before and after all files, in the process that was started (.mocharc.json names this file).
 */
export const mochaGlobalSetup = async (): Promise<void> => {
  await useMemory()
  const folder = await makeTemporaryFolder(RUN_PREFIX)
  await claimDataDir(folder)
  setRunFolder(folder)
}

export const mochaGlobalTeardown = async (): Promise<void> => {
  await removeClusters()
  const folder = runFolder()
  if (folder !== undefined) await rm(folder, { recursive: true, force: true })
}

/** What mocha runs around each file in a worker, around the whole run where there are no workers. */
export const mochaHooks: RootHookObject = {
  async beforeAll(this: Context) {
    const { MOCHA_WORKER_ID: worker } = process.env
    const folder = runFolder()
    if (folder === undefined || worker === undefined) return
    this.timeout(0)
    const workerLock = machineLock(join(folder, 'lock'), worker)
    const isExclusive = this.test?.parent?.suites.some(({ file = '' }) => ALONE.test(file))
    lock = await (isExclusive ? workerLock.exclusive() : workerLock.shared())
  },
  async afterAll(this: Context) {
    this.timeout(0)
    await dropDatabases()
    await removeTemporaryFolders()
    await lock?.release()
    expect(unhandled.splice(0), 'unhandled rejections').to.deep.equal([])
  },
}
