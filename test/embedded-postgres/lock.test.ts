import { mkdir, readlink, symlink, writeFile } from 'node:fs/promises'
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

  it('is released also where a process that cannot see this one has taken it over', async () => {
    const folder = await makeTemporaryFolder()
    const lock = await takeLock(folder)
    if (typeof lock === 'number') throw new Error('not taken')
    await symlink('1 of another container', join(folder, '2'))
    await lock.release()
    expect(await readlink(join(folder, '2')), 'theirs').to.equal('1 of another container')
  })
})
