import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

import { expect } from 'chai'

import { isAnyTaken, takeLock } from '../../src/embedded-postgres/lock.js'
import { makeTemporaryFolder } from '../support/temporary-folder.js'

describe('a lock of the embedded PostgreSQL', () => {
  it('is taken, refused and released beside files that a file manager left', async () => {
    const users = await makeTemporaryFolder()
    const folder = join(users, 'one')
    await mkdir(folder)
    for (const place of [users, folder]) await writeFile(join(place, '.DS_Store'), '')
    const lock = await takeLock(folder)
    expect(await takeLock(folder), 'this process has it').to.equal(process.pid)
    expect(await isAnyTaken(users)).to.equal(true)
    if (typeof lock === 'number') throw new Error('not taken')
    await lock.release()
    expect(await isAnyTaken(users)).to.equal(false)
  })
})
