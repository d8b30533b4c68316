import { expect } from 'chai'

import type { ValidCheckpoint } from '../../src/audit/evidence-span.js'
import { createSegments } from '../../src/audit/segments.js'

/** Where the chains 1 and 2 stand in a checkpoint. */
const checkpointAt = (id: string, ...seqs: readonly number[]): ValidCheckpoint => ({
  id,
  jws: '',
  stored: '',
  checkpoint: {
    time: '',
    retired: [],
    heads: seqs.map((seq, i) => ({ writer: String(i + 1), seq: String(seq), hash: '' })),
  },
})
const entryOf = (writer: number, seq: number) => ({
  writer: String(writer),
  seq: String(seq),
  id: '',
  previous: '',
  hash: '',
  text: '',
})

describe('the segments of evidence', () => {
  const segmentsOf = async (...checkpoints: readonly ValidCheckpoint[]) => {
    const order: string[] = []
    let leftOut = 0
    const segments = await createSegments({
      checkpoints: (async function* () {
        yield* checkpoints
      })(),
      start: [],
      onEntry: ({ writer, seq }) => order.push(`${writer}/${seq}`),
      onCheckpoint: ({ id }) => order.push(id),
      onLeftOut: () => {
        leftOut += 1
      },
    })
    return { ...segments, order, leftOut: () => leftOut }
  }

  it('have each checkpoint behind exactly what it covers, whatever was committed late', async () => {
    const { take, finish, order } = await segmentsOf(
      checkpointAt('A', 1),
      checkpointAt('B', 1, 2),
      checkpointAt('C', 2, 2),
    )
    await take([entryOf(2, 1), entryOf(1, 1), entryOf(1, 2)])
    await take([entryOf(2, 2), entryOf(1, 3)])
    await finish()
    expect(order).to.deep.equal(['1/1', 'A', '2/1', '2/2', 'B', '1/2', 'C', '1/3'])
  })

  it('wait for no checkpoint whose entries are not there, and keep it for the end', async () => {
    const { take, finish, order } = await segmentsOf(checkpointAt('A', 2), checkpointAt('B', 2, 1))
    await take([entryOf(1, 1), entryOf(2, 1), entryOf(2, 2)])
    await finish()
    expect(order).to.deep.equal(['1/1', 'A', '2/1', 'B', '2/2'])
  })

  it('leave out a checkpoint that more than 10,000 entries would wait for', async () => {
    const many = Array.from({ length: 10_001 }, (_, i) => entryOf(2, i + 1))
    const { take, finish, order, leftOut } = await segmentsOf(checkpointAt('A', 1), checkpointAt('B', 1, 10_001))
    await take(many.slice(0, 9_000))
    expect(order).to.deep.equal([])
    await take(many.slice(9_000))
    expect({ placed: order.length, leftOut: leftOut() }).to.deep.equal({ placed: 10_001, leftOut: 1 })
    await take([entryOf(1, 1)])
    await finish()
    expect(order.slice(-2)).to.deep.equal(['1/1', 'B'])
  })
})
