import { spawn, type ChildProcess } from 'node:child_process'
import { cp, mkdir, readdir, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'

import { expect } from 'chai'

import { PACKAGE_ROOT } from '../../src/config.js'
import { testDatabase } from '../support/database.js'
import { onDatabase } from '../support/node.js'
import { requireBuilt } from '../support/program.js'
import { makeTemporaryFolder } from '../support/temporary-folder.js'
import { until, within } from '../support/until.js'
import { untilRefused } from '../support/workers.js'

const ROOT = fileURLToPath(PACKAGE_ROOT)

/** True while a process group has a process: signal 0 reaches it. */
const hasProcesses = (group: number): boolean => {
  try {
    return process.kill(-group, 0)
  } catch {
    return false
  }
}

describe('npm start', () => {
  let folder: string
  let settings: Readonly<Record<string, string>>
  const started: ChildProcess[] = []

  before(async () => {
    requireBuilt()
    folder = await makeTemporaryFolder()
    const { service, owner } = await testDatabase()
    settings = { ...onDatabase(service, owner), DATA_DIR: join(folder, 'data'), PORT: '0', LOG_LEVEL: 'silent' }
  })
  after(() => {
    for (const child of started) {
      try {
        if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
      } catch {
        // the whole group has ended
      }
    }
  })

  const start = (cwd: string) => {
    const child = spawn('npm', ['start', '--silent'], {
      cwd,
      // a group of its own: the signal below goes to npm alone, and what a failure leaves can be ended
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { PATH: process.env['PATH'], HOME: process.env['HOME'], ...settings },
    })
    started.push(child)
    let said = ''
    const url = new Promise<string>((resolve, reject) => {
      child.stdout.setEncoding('utf8').on('data', (chunk) => {
        said += String(chunk)
        const [, found] = /Linkgate listens on (\S+)\n[^]*Ctrl-C/.exec(said) ?? []
        if (found !== undefined) resolve(found)
      })
      child.on('close', () => reject(new Error(`ended before it listened: ${said}`)))
    })
    url.catch(() => undefined)
    const ended = new Promise<number | null>((resolve) => {
      child.on('close', (code) => resolve(code))
    })
    return { child, url, ended, stderr: text(child.stderr) }
  }

  /** The package without its development dependencies, as `npm ci --omit=dev` leaves it. */
  const production = async (...parts: readonly string[]): Promise<string> => {
    const copy = join(folder, `production-${parts.length}`)
    await mkdir(join(copy, 'node_modules'), { recursive: true })
    for (const part of ['package.json', 'bin', ...parts])
      await cp(join(ROOT, part), join(copy, part), { recursive: true })
    for (const part of ['migrations', 'policies', 'model.conf']) await symlink(join(ROOT, part), join(copy, part))
    return copy
  }

  it('passes SIGTERM on: the service has ended when npm has, and let requests finish', async () => {
    const { child, url, ended } = start(ROOT)
    const baseUrl = await url
    child.kill('SIGTERM')
    await within('npm ends', ended, { withinMs: 10_000 })
    await untilRefused({ baseUrl })
    await until('every process of the group is gone', () => !hasProcesses(child.pid ?? 0))
  })

  it('works without the compiler where dist/ is there', async () => {
    const copy = await production('dist')
    for (const name of await readdir(join(ROOT, 'node_modules')))
      if (!/^(?:typescript|@typescript|\.)/.test(name))
        await symlink(join(ROOT, 'node_modules', name), join(copy, 'node_modules', name))
    const { child, url, ended } = start(copy)
    expect((await fetch(`${await url}/healthz`)).status).to.equal(200)
    child.kill('SIGTERM')
    await ended
  })

  it('says in one line what to do where neither is there', async () => {
    const { ended, stderr } = start(await production())
    expect(await ended).to.equal(1)
    expect(await stderr).to.match(/^linkgate: [^\n]*npm run build[^\n]*\n$/)
  })
})
