import { expect } from 'chai'

import { exportText } from '../../src/routes/export-text.js'
import { tellsProcesses } from '../support/own-server.js'
import { requireBuilt } from '../support/program.js'
import { amongSlowClients } from '../support/slow-clients.js'

describe('clients that are slow, or do nothing', () => {
  it('leave other callers their share: all are served, and exports take a quarter of the pool', async function () {
    if (!tellsProcesses) return this.skip()
    requireBuilt()
    const { failed, exports, descriptors } = await amongSlowClients({
      idle: 400,
      slow: 30,
      readers: 12,
      rounds: 1,
      roundMs: 500,
      maxConnections: 1_000,
    })
    expect(failed).to.deep.equal([])
    expect(exports).to.deep.equal({ 200: 2, 503: 10 })
    expect(descriptors.most).to.be.within(450, 600)
  })

  it('who takes none of an export is cut off, and the connection is given back', async () => {
    let ended = false
    const batches = (async function* () {
      try {
        for (;;) yield ['x'.repeat(200_000)]
      } finally {
        ended = true
      }
    })()
    const text = await exportText(batches, { head: '', lines: (rows) => rows.join('') }, { chunked: true }, 50)
    const failure = new Promise<unknown>((resolve) => {
      text.on('error', resolve)
    })
    text.once('readable', () => undefined)
    expect(await failure)
      .to.be.instanceOf(Error)
      .with.property('message')
      .that.includes('took nothing for 50 ms')
    expect(ended).to.equal(true)
  })

  it('who leaves an export while it waits for the database leaves no timer behind', async () => {
    let goOn = (): void => undefined
    const waits = new Promise<void>((resolve) => (goOn = resolve))
    let asked = (): void => undefined
    const isAsked = new Promise<void>((resolve) => (asked = resolve))
    const batches = (async function* () {
      yield ['first']
      asked()
      await waits
      yield ['second']
    })()
    const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length
    const text = await exportText(batches, { head: '', lines: (rows) => rows.join('') }, { chunked: true }, 60_000)
    const before = timers()
    text.once('readable', () => text.read())
    await isAsked
    const closed = new Promise((resolve) => text.once('close', resolve))
    text.destroy()
    goOn()
    await closed
    await new Promise((resolve) => setImmediate(resolve))
    expect(timers()).to.equal(before)
  })

  it('who takes it slowly gets all of it', async () => {
    const batches = (async function* () {
      for (let i = 0; i < 5; i += 1) yield ['x'.repeat(100_000)]
    })()
    const text = await exportText(batches, { head: '', lines: (rows) => rows.join('') }, { chunked: true }, 400)
    let length = 0
    for await (const part of text) {
      length += String(part).length
      await new Promise((resolve) => {
        setTimeout(resolve, 100)
      })
    }
    expect(length).to.equal(500_000)
  })
})
