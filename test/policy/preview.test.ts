import { expect } from 'chai'

import { Deadline } from '../../src/domain/deadline.js'
import { Refusal } from '../../src/domain/refusal.js'
import { createPreviews } from '../../src/policy/preview.js'
import { buildSnapshot, type Snapshot } from '../../src/policy/snapshot.js'
import { csvRows, rowsOf, shippedRules } from '../support/policy.js'

const IN_TIME = new Deadline(Number.POSITIVE_INFINITY)

/** A row that no request reaches, from the start. */
const DEAD = 'p, 600, X, editor, link:read, any, allow'

describe('previews of edits', () => {
  let base: Snapshot
  let preview: ReturnType<typeof createPreviews>
  const asked = { maker: 'unbounded', rolesInUse: ['admin', 'editor', 'viewer'], deadline: IN_TIME } as const
  before(async () => {
    const rules = await shippedRules()
    const names = Array.from({ length: 30 }, (_, i) => `p, ${1000 + i}, X, role-${i}, link:read, own, allow\n`)
    const added = csvRows(`${DEAD}\n${names.join('')}`)
    base = await buildSnapshot(1, rules.model, [...(await rowsOf('default.csv')), ...added])
    preview = createPreviews(rules)
  })

  const kindsAfter = async (edit: string, rolesInUse: readonly string[] = asked.rolesInUse) => {
    const { findings } = await preview(base, { add: csvRows(edit), remove: [] }, { ...asked, rolesInUse })
    return findings.map(({ kind, row }) => `${kind} ${row.ptype === 'p' ? row.priority : row.role}`)
  }

  it('say the same of a second edit as of a first one, and nothing of what could be said before', async () => {
    const edit = 'p2, reviewer, link:read\n'
    const first = await kindsAfter(edit)
    expect(first).to.deep.equal(['redundant reviewer', 'unknown_role reviewer'])
    expect(await kindsAfter(edit)).to.deep.equal(first)
    expect(await kindsAfter('p, 601, X, editor, link:read, any, allow\n')).to.not.include('redundant 600')
  })

  it('follow the roles of users', async () => {
    const edit = 'p2, reviewer, link:read\n'
    expect(await kindsAfter(edit)).to.deep.equal(['redundant reviewer', 'unknown_role reviewer'])
    expect(await kindsAfter(edit, [...asked.rolesInUse, 'reviewer'])).to.deep.equal(['redundant reviewer'])
    // what no user is now could be said without the edit as well
    expect(await kindsAfter('', ['admin'])).to.deep.equal([])
  })

  it('stop at the deadline of who asks', async () => {
    const everything = { add: csvRows('p, 50, X, anyone, *, any, deny\n'), remove: [] }
    const late = { ...asked, deadline: new Deadline(performance.now()) }
    const refused = await preview(base, everything, late).catch((error: unknown) => error)
    expect(refused).to.be.instanceOf(Refusal).with.property('code', 'deadline_exceeded')
    expect((await preview(base, everything, asked)).plan.changes).to.have.length.greaterThan(1_000)
  })
})
