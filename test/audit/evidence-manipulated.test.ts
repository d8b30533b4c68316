import { expect } from 'chai'

import { evidenceLog, fileOf, linesOf, newKey, refusal, verified, type EvidenceLog } from '../support/evidence.js'
import { manipulations } from '../support/manipulate-evidence.js'
import { random } from '../support/random.js'

describe('manipulated evidence', () => {
  let log: EvidenceLog
  afterEach(() => log.close())

  it('is refused by two verifiers, each on its own, after each of 200 manipulations', async () => {
    const [key, other] = [await newKey(), await newKey()]
    log = await evidenceLog(key)
    const period = await log.busyLog()
    const genuine = [await log.evidence(), await log.evidence(period), await log.evidence({ from: period.from })]
    for (const file of genuine) {
      expect((await verified(file, [key])).faults).to.deep.equal([])
      expect(refusal(file, [key])).to.equal(null)
    }
    const chance = random(20_261_123)
    const ways = manipulations(chance, { key, other })
    const tried = new Map(ways.map(({ name }) => [name, 0]))
    for (let n = 0; n < 200; n += 1) {
      const lines = linesOf(genuine[n % genuine.length] ?? Buffer.of())
      const { name, make } = chance.pick(ways)
      const file = await make(lines)
      expect(file.equals(fileOf(lines)), `${n}: ${name} changes something`).to.equal(false)
      expect((await verified(file, [key])).faults.length, `${n}: ${name}`).to.be.greaterThan(0)
      expect(refusal(file, [key]), `${n}: ${name}`).not.to.equal(null)
      tried.set(name, (tried.get(name) ?? 0) + 1)
    }
    expect(Math.min(...tried.values())).to.be.greaterThan(5)
  })
})
