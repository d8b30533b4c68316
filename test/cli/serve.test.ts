import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, existsSync, openSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'

import { expect } from 'chai'

import { PACKAGE_ROOT } from '../../src/config.js'
import { testDatabase } from '../support/database.js'
import { onDatabase, startNode } from '../support/node.js'
import { requireBuilt, runProgram } from '../support/program.js'
import { makeTemporaryFolder } from '../support/temporary-folder.js'
import { until } from '../support/until.js'

describe('linkgate serve', () => {
  before(requireBuilt)

  it('warns of a misspelt setting, once', async () => {
    const { service, owner } = await testDatabase()
    const node = await startNode({ ...onDatabase(service, owner), WORKRES: '4' })
    await node.stop()
    expect(
      node.output().match(/"msg":"WORKRES is not a setting and is ignored; did you mean WORKERS\?"/g),
    ).to.have.length(1)
  })

  it('stops at a signal while it waits for a database that says nothing', async () => {
    const silent = createServer().listen(0, '127.0.0.1')
    await once(silent, 'listening')
    const address = silent.address()
    const port = typeof address === 'object' && address !== null ? address.port : 0
    const asked = once(silent, 'connection')
    const { child, ended } = runProgram(['serve'], {
      PORT: '0',
      DATA_DIR: join(await makeTemporaryFolder(), 'data'),
      DATABASE_URL: `postgres://linkgate:x@127.0.0.1:${port}/linkgate`,
    })
    await asked
    const begun = performance.now()
    child.kill('SIGTERM')
    expect(await ended).to.deep.equal({ code: 0, signal: null, stdout: '', stderr: '' })
    // a connection is waited for longer
    expect(performance.now() - begun).to.be.below(5_000)
    silent.close()
  })
})

describe('a command that a signal ends', () => {
  before(requireBuilt)

  it('stops the embedded database also where it was only starting it', async () => {
    const DATA_DIR = join(await makeTemporaryFolder(), 'data')
    const made = await runProgram(['migrate'], { DATA_DIR }).ended
    expect(made.code, made.stderr).to.equal(0)
    const pidFile = join(DATA_DIR, 'postgres', 'postmaster.pid')
    for (const args of [
      ['policy', 'export'],
      ['migrate', '--status'],
    ]) {
      const { child, ended } = runProgram(args, { DATA_DIR })
      await until('the server is starting', () => existsSync(pidFile), { everyMs: 1 })
      child.kill('SIGINT')
      expect(await ended, args.join(' ')).to.include({ code: null, signal: 'SIGINT' })
      expect(existsSync(pidFile), args.join(' ')).to.equal(false)
    }
  })
})

describe('a command whose output cannot be written', () => {
  before(requireBuilt)

  it('says so in one line, with exit code 1', async () => {
    const full = openSync('/dev/full', 'w')
    const program = fileURLToPath(new URL('bin/linkgate.js', PACKAGE_ROOT))
    const child = spawn(process.execPath, [program, 'policy', 'check', 'policies/default.csv'], {
      cwd: fileURLToPath(PACKAGE_ROOT),
      stdio: ['ignore', full, 'pipe'],
    })
    closeSync(full)
    const ended = once(child, 'close')
    expect(child.stderr && (await text(child.stderr))).to.equal('linkgate: the output cannot be written: ENOSPC\n')
    expect(await ended).to.deep.equal([1, null])
  })

  it('leaves no database behind where nobody reads its errors', async () => {
    const folder = await makeTemporaryFolder()
    const settings = { DATA_DIR: join(folder, 'data') }
    const file = join(folder, 'links.csv')
    await writeFile(file, `target\n${'no URL\n'.repeat(50)}`)
    const made = await runProgram(['migrate'], settings).ended
    expect(made.code, made.stderr).to.equal(0)
    const { child, ended } = runProgram(['import', file, '--format', 'csv'], settings)
    child.stderr?.destroy()
    expect(await ended).to.deep.equal({
      code: 1,
      signal: null,
      stdout: `0 made, 0 unchanged, 50 refused (${file}.refused.csv)\n`,
      stderr: '',
    })
    expect(existsSync(join(settings.DATA_DIR, 'postgres', 'postmaster.pid'))).to.equal(false)
  })
})
