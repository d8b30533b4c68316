import { expect } from 'chai'

import { previousVersion } from '../support/previous-version.js'
import { requireBuilt } from '../support/program.js'
import { upgrade } from '../support/upgrade.js'

describe('an upgrade from the previous version under load', function () {
  this.timeout(60_000)

  it('fails no request, and can be taken back (pending where the history is not there)', async function () {
    const previous = await previousVersion()
    if (previous === null) return this.skip()
    requireBuilt()
    const { phases, acknowledged, recorded, chainFaults } = await upgrade({
      previous,
      nodes: 1,
      milliseconds: 250,
      requests: 40,
      oldEntries: 300,
    })
    for (const [name, { done, failed }] of Object.entries(phases)) {
      expect(failed, name).to.deep.equal([])
      expect(done, name).to.be.at.least(40)
    }
    expect(recorded).to.equal(acknowledged)
    expect(chainFaults).to.equal(0)
  })
})
