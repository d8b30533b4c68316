import { join } from 'node:path'

import { expect } from 'chai'

import { startNode } from '../support/node.js'
import { previousVersion } from '../support/previous-version.js'
import { requireBuilt } from '../support/program.js'
import { makeTemporaryFolder } from '../support/temporary-folder.js'
import { upgrade } from '../support/upgrade.js'

describe('an upgrade from the previous version under load, with 100,000 entries in its log', () => {
  it('fails no request, keeps every change with its record, and can be taken back (pending where the history is not there)', async function () {
    const previous = await previousVersion()
    if (previous === null) return this.skip()
    requireBuilt()
    const { phases, migrated, ...report } = await upgrade({
      previous,
      nodes: 2,
      milliseconds: 5_000,
      requests: 101,
      oldEntries: 100_000,
    })
    for (const [name, { done, failed }] of Object.entries(phases)) {
      expect(failed, name).to.deep.equal([])
      expect(done, name).to.be.greaterThan(100)
    }
    expect(migrated).to.include('0006_audit_chain.sql').and.include('0009_chain_recorded_decisions.sql')
    expect(report.recorded).to.equal(report.acknowledged)
    expect(report.entries).to.be.greaterThan(100_000)
    expect(report.chainFaults).to.equal(0)
  })

  it('works on the embedded database too, stopped in between', async function () {
    const previous = await previousVersion()
    if (previous === null) return this.skip()
    requireBuilt()
    const environment = { DATA_DIR: join(await makeTemporaryFolder(), 'data') }
    for (const program of [previous.program, undefined, previous.program, undefined]) {
      const node = await startNode(environment, program)
      expect((await fetch(`${node.baseUrl}/readyz`)).status).to.equal(200)
      expect(await node.stop(), node.output()).to.equal(0)
    }
  })
})
