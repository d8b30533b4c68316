import type { Context, RootHookObject } from 'mocha'
import { removeCluster } from './cluster.js'

/**
 * Tests that stop, freeze or starve whole processes and hold what follows against a time. A machine that is busy with something
 * else fails them for that something: they are asked once more, and fail where they fail twice.
 */
const TIMED = /\/test\/(?:cluster|resilience|database\/(?:pgbouncer|replica)|layers\/1-gateway\/redis-away|policy\/storm)/

/** What mocha runs around the whole run (.mocharc.json names this file). */
export const mochaHooks: RootHookObject = {
  beforeEach(this: Context) {
    const test = this.currentTest
    if (test !== undefined && TIMED.test(test.file ?? '')) test.retries(1)
  },
  async afterAll() {
    await removeCluster()
  },
}
