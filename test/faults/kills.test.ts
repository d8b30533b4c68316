import { expect } from 'chai'

import { killAtRandom } from '../support/kills.js'
import { tellsProcesses } from '../support/own-server.js'
import { requireBuilt } from '../support/program.js'

describe('kill -9 of the service and the database, fifty times amid eight writers', () => {
  before(function () {
    if (!tellsProcesses) this.skip()
    requireBuilt()
  })

  it('leaves every acknowledged change with its record, nothing half done, and the log whole', async () => {
    const { kills, acknowledged, unsure, verdict, slowestRecovery, ...faults } = await killAtRandom(50)
    expect(faults).to.deep.equal({ lost: [], halfDone: [], wrong: [] })
    expect(verdict).to.match(/^0: intact: /)
    expect(Math.min(...Object.values(kills))).to.be.greaterThan(5)
    expect(acknowledged).to.be.greaterThan(750)
    expect(unsure).to.be.greaterThan(50)
    expect(slowestRecovery).to.be.lessThan(5_000)
  })
})
