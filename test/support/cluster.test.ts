import { expect } from 'chai'
import { Client } from 'pg'
import { cluster, createDatabase } from './cluster.js'

describe('the cluster of a process that runs tests', () => {
  it('is one for all of them', async () => {
    expect((await cluster()).socket).to.equal((await cluster()).socket)
  })

  it('gives each caller an empty database of its own', async () => {
    const [one, other] = [await createDatabase(), await createDatabase()]
    expect(one.name).not.to.equal(other.name)
    const client = new Client(one.owner)
    await client.connect()
    try {
      const tables = await client.query("select from pg_class where relnamespace = 'public'::regnamespace")
      expect(tables.rowCount).to.equal(0)
    } finally {
      await client.end()
    }
  })
})
