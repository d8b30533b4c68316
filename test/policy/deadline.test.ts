import { expect } from 'chai'

import { Deadline } from '../../src/domain/deadline.js'
import { Refusal } from '../../src/domain/refusal.js'
import { parseInvariants, findViolations } from '../../src/policy/invariants.js'
import { findBeyondOwnRights } from '../../src/policy/own-rights.js'
import { buildSnapshot, type Snapshot } from '../../src/policy/snapshot.js'
import { decisionChanges, mayGrant } from '../../src/policy/table.js'
import { whoMay } from '../../src/policy/who-may.js'
import { csvRows, rowsOf, shippedRules } from '../support/policy.js'

describe('work over a whole policy', () => {
  const late = new Deadline(0)
  const edited = csvRows('p, 50, X, role-1, *, any, allow\n')
  let base: Snapshot
  let candidate: Snapshot
  before(async () => {
    const { model } = await shippedRules()
    const many = Array.from({ length: 300 }, (_, i) => `p, ${1000 + i}, X, role-${i}, link:do_${i}, any, allow\n`)
    const rows = [...(await rowsOf('default.csv')), ...csvRows(many.join(''))]
    base = await buildSnapshot(1, model, rows)
    candidate = await buildSnapshot(2, model, [...rows, ...edited])
  })

  const requireStopped = async (what: string, work: Promise<unknown>) => {
    const refused = await work.catch((error: unknown) => error)
    expect(refused, what).to.be.instanceOf(Refusal).with.property('code', 'deadline_exceeded')
  }

  it('stops at the deadline of the request', async () => {
    await requireStopped('mayGrant', mayGrant(base, 'admin', 'viewer', late))
    await requireStopped('whoMay', whoMay(base, 'link:update', null, late))
    const invariants = parseInvariants('never,test,!admin,link:nothing,other,a test')
    await requireStopped('invariants', findViolations(base, invariants, late))
    const changes = await decisionChanges(base, candidate, edited)
    const edit = { base, candidate, changes, maker: 'editor' }
    await requireStopped('own rights', findBeyondOwnRights({ ...edit, deadline: late }))
    expect(await findBeyondOwnRights({ ...edit, deadline: undefined })).to.be.instanceOf(Refusal)
  })
})
