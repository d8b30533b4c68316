import { expect } from 'chai'

import { testDatabase } from '../support/database.js'
import { onDatabase, startNode } from '../support/node.js'

describe('linkgate serve', () => {
  it('warns of a misspelt setting, once', async () => {
    const { service, owner } = await testDatabase()
    const node = await startNode({ ...onDatabase(service, owner), WORKRES: '4' })
    await node.stop()
    expect(
      node.output().match(/"msg":"WORKRES is not a setting and is ignored; did you mean WORKERS\?"/g),
    ).to.have.length(1)
  })
})
