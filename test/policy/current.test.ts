import { expect } from 'chai'

import { createCurrentPolicy } from '../../src/policy/current.js'
import { buildSnapshot, type Snapshot } from '../../src/policy/snapshot.js'
import { csvRows, shippedRules } from '../support/policy.js'

const turn = () => new Promise(setImmediate)

/** A load that answers when the test says so. */
const heldLoads = () => {
  const loads: { readonly known: number | null; answer(snapshot: Snapshot | null): void; fail(error: Error): void }[] =
    []
  const load = (known: number | null) =>
    new Promise<Snapshot | null>((resolve, reject) => loads.push({ known, answer: resolve, fail: reject }))
  /** The i-th load, once it has begun. */
  const begun = async (i: number) => {
    await turn()
    const found = loads[i]
    if (found === undefined) throw new Error(`no load ${i}`)
    return found
  }
  return {
    loads,
    load,
    answer: async (i: number, snapshot: Snapshot | null) => (await begun(i)).answer(snapshot),
    fail: async (i: number, error: Error) => (await begun(i)).fail(error),
  }
}

describe('the policy in force', () => {
  let snapshots: readonly Snapshot[]
  const at = (revision: number): Snapshot => {
    const found = snapshots[revision]
    if (found === undefined) throw new Error(`no revision ${revision}`)
    return found
  }
  before(async () => {
    const { model } = await shippedRules()
    snapshots = await Promise.all(
      [0, 1, 2, 3].map((revision) =>
        buildSnapshot(revision, model, csvRows(`p, 1, R${revision}, anyone, link:read, any, allow`)),
      ),
    )
  })

  it('decides nothing before the first policy is loaded', async () => {
    const { load, answer } = heldLoads()
    const policy = createCurrentPolicy(load)
    expect(() => policy.current()).to.throw('no policy has been loaded yet')
    expect(() => policy.current().can(null, 'link:read', null)).to.throw()
    const refreshed = policy.refresh()
    await answer(0, null)
    await refreshed.then(
      () => expect.fail('there is no policy'),
      () => undefined,
    )
    expect(policy.status()).to.deep.include({ revision: null, fault: null })
  })

  it('shares a load among all refreshes that arrive before it begins', async () => {
    const { load, loads, answer } = heldLoads()
    const policy = createCurrentPolicy(load)
    const first = policy.refresh()
    await turn()
    const late = [policy.refresh(), policy.refresh(), policy.refresh()]
    expect(loads).to.have.length(1)
    await answer(0, at(1))
    expect((await first).revision).to.equal(1)
    await turn()
    expect(loads, 'one load for the three that came during the first').to.have.length(2)
    expect(loads[1]?.known).to.equal(1)
    await answer(1, at(2))
    expect((await Promise.all(late)).map(({ revision }) => revision)).to.deep.equal([2, 2, 2])
  })

  it('keeps the last good policy where a load fails, and reports the fault until a load succeeds', async () => {
    const { load, answer, fail } = heldLoads()
    const policy = createCurrentPolicy(load)
    const first = policy.refresh()
    await answer(0, at(1))
    await first
    const second = policy.refresh()
    await fail(1, new Error('a stored row does not parse'))
    await second.then(
      () => expect.fail('the load failed'),
      (error: unknown) => expect(String(error)).to.contain('does not parse'),
    )
    expect(policy.status()).to.deep.include({ revision: 1, fault: 'a stored row does not parse' })
    expect(policy.current().can(null, 'link:read', null)).to.equal(true)
    const third = policy.refresh()
    await answer(2, at(2))
    await third
    expect(policy.status()).to.deep.include({ revision: 2, fault: null })
  })

  it('serves the refreshes that waited behind a load that fails', async () => {
    const { load, answer, fail } = heldLoads()
    const policy = createCurrentPolicy(load)
    const first = policy.refresh().catch(() => 'failed')
    await turn()
    const second = policy.refresh()
    await fail(0, new Error('away'))
    expect(await first).to.equal('failed')
    await turn()
    await answer(1, at(3))
    expect((await second).revision).to.equal(3)
  })

  it('never goes back to an older revision', async () => {
    const { load, answer } = heldLoads()
    const policy = createCurrentPolicy(load)
    for (const [i, revision] of [2, 1, 3, 2].entries()) {
      const refreshed = policy.refresh()
      await answer(i, at(revision))
      await refreshed
    }
    expect(policy.current()).to.equal(at(3))
  })

  it('adopts a committed snapshot where it is newer, whatever a load answers meanwhile', async () => {
    const { load, answer } = heldLoads()
    const policy = createCurrentPolicy(load)
    policy.adopt(at(1))
    expect(policy.current()).to.equal(at(1))
    const refreshed = policy.refresh()
    policy.adopt(at(3))
    await answer(0, at(2))
    expect(await refreshed).to.equal(at(3))
    for (const revision of [1, 2, 3]) policy.adopt({ ...at(revision) })
    expect(policy.current()).to.equal(at(3))
  })

  it('replaces rows that are not the stored ones by an older policy, but none that came meanwhile', async () => {
    const { load, answer } = heldLoads()
    const rows = { differ: async () => true, record: async () => undefined }
    const policy = createCurrentPolicy(load, undefined, rows)
    policy.adopt(at(2))
    const replaced = policy.check()
    await answer(0, at(1))
    await replaced
    expect(policy.current()).to.equal(at(1))
    const checked = policy.check()
    await turn()
    policy.adopt(at(3))
    await answer(1, at(2))
    await checked
    expect(policy.current()).to.equal(at(3))
  })

  it('has no fault any more where the rows are put right before the difference could be recorded', async () => {
    let stored: 'theirs' | 'ours' = 'theirs'
    const policy = createCurrentPolicy(async () => null, undefined, {
      differ: async () => stored === 'theirs',
      record: async () => {
        throw new Error('the database takes no changes')
      },
    })
    policy.adopt(at(2))
    await policy.check().catch(() => undefined)
    expect(policy.status()).to.include({ differs: true })
    stored = 'ours'
    expect(await policy.check()).to.equal(false)
    expect(policy.status()).to.deep.equal({ revision: 2, fault: null, differs: false, unreached: false })
  })

  it('reports the fault of the newest load also where another revision was adopted since', async () => {
    const { load, fail } = heldLoads()
    const policy = createCurrentPolicy(load)
    const failed = policy.refresh().catch(() => undefined)
    await fail(0, new Error('a stored row does not parse'))
    await failed
    policy.adopt(at(1))
    expect(policy.status()).to.deep.include({ revision: 1, fault: 'a stored row does not parse' })
  })

  it('wraps each snapshot that comes into force once', async () => {
    const { load, answer } = heldLoads()
    const entered: number[] = []
    const policy = createCurrentPolicy(load, (snapshot) => {
      entered.push(snapshot.revision)
      return { ...snapshot }
    })
    policy.adopt(at(1))
    expect(policy.current()).not.to.equal(at(1))
    const refreshed = policy.refresh()
    await answer(0, at(2))
    await refreshed
    policy.adopt(at(2))
    expect(entered).to.deep.equal([1, 2])
  })

  it('leaves a snapshot as it is for whoever holds it', async () => {
    const { load, answer } = heldLoads()
    const policy = createCurrentPolicy(load)
    const first = policy.refresh()
    await answer(0, at(1))
    const held = await first
    const second = policy.refresh()
    expect(policy.current()).to.equal(held)
    await answer(1, at(2))
    await second
    expect(held.decideFor('viewer', 'link:read', 'other').rule).to.equal('R1')
    expect(policy.current().decideFor('viewer', 'link:read', 'other').rule).to.equal('R2')
  })
})
