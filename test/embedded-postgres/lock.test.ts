import { spawnSync } from 'node:child_process'
import { mkdir, readlink, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

import { expect } from 'chai'

import { PACKAGE_ROOT } from '../../src/config.js'
import { isAnyTaken, takeLock } from '../../src/embedded-postgres/lock.js'
import { requireBuilt } from '../support/program.js'
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

  it('is not taken from a live process by one that has no file descriptor left to look at it', async () => {
    requireBuilt()
    const script = `
      import { closeSync, openSync } from 'node:fs'
      import { takeLock } from ${JSON.stringify(new URL('dist/embedded-postgres/lock.js', PACKAGE_ROOT).href)}
      const folder = ${JSON.stringify(join(await makeTemporaryFolder(), 'lock'))}
      await takeLock(folder)
      const open = []
      try {
        for (;;) open.push(openSync('/dev/null'))
      } catch {
        // one is left, to list the folder
        closeSync(open.pop())
      }
      const second = await takeLock(folder).catch(({ code }) => code)
      for (const each of open) closeSync(each)
      process.stdout.write(typeof second === 'object' ? 'taken' : 'not taken')`
    const limited = 'ulimit -n 100 && exec "$0" --input-type=module --eval "$1"'
    const { stdout, stderr } = spawnSync('/bin/sh', ['-c', limited, process.execPath, script], { encoding: 'utf8' })
    expect(stdout, stderr).to.equal('not taken')
  })
})
