import type { RootHookObject } from 'mocha'
import { removeCluster } from './cluster.js'

/** What mocha runs around the whole run (.mocharc.json names this file). */
export const mochaHooks: RootHookObject = {
  async afterAll() {
    await removeCluster()
  },
}
