import { readFile, readdir, rm } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'

import { expect } from 'chai'

import { isRunning } from '../support/is-running.js'
import { textAt } from '../support/json.js'
import { requireBuilt, runProgram, type Ended, type Program } from '../support/program.js'
import { makeTemporaryFolder } from '../support/temporary-folder.js'
import { until, within } from '../support/until.js'
import { untilRefused } from '../support/workers.js'

describe('the program as a process', () => {
  let folder: string
  let dataDir: string
  let settings: Readonly<Record<string, string>>
  let program: Program
  let url: string
  let token: string
  const acknowledged: string[] = []

  const start = async () => {
    program = runProgram(['serve'], settings)
    url = await program.url
  }
  const postmaster = async (): Promise<number> =>
    Number((await readFile(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8')).split('\n')[0])
  const expectOneLine = ({ stderr, code }: Ended, exit: number) => {
    expect(stderr.trimEnd().split('\n'), stderr).to.have.length(1)
    expect(stderr)
      .to.match(/^linkgate: /)
      .and.not.match(/\bat .*:\d+|node_modules|Error:/)
    expect(code).to.equal(exit)
  }
  const signIn = async () => {
    const password = await readFile(join(dataDir, 'first-admin-password'), 'utf8')
    const response = await fetch(`${url}/auth/token`, {
      method: 'POST',
      body: new URLSearchParams({ grant_type: 'password', username: 'admin@localhost', password }),
    })
    expect(response.status).to.equal(200)
    token = textAt(await response.json(), 'access_token')
  }
  const create = async (code: string) => {
    const response = await fetch(`${url}/links`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ code, target: `https://example.com/${code}` }),
    })
    await response.text()
    if (response.status === 201) acknowledged.push(code)
    return response.status
  }
  /** A request whose body is still on its way: it is under way until `finish`. */
  const halfCreate = async (code: string) => {
    const body = JSON.stringify({ code, target: 'https://example.com/' })
    const { hostname, port } = new URL(url)
    const socket: Socket = connect(Number(port), hostname)
    let said = ''
    socket.setEncoding('utf8').on('data', (text) => {
      said += String(text)
    })
    socket.on('error', () => undefined)
    const closed = new Promise<string>((resolve) => {
      socket.on('close', () => resolve(said))
    })
    await new Promise<void>((resolve) => {
      socket.write(
        `POST /links HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\n` +
          `Content-Length: ${body.length}\r\nExpect: 100-continue\r\n\r\n${body.slice(0, 5)}`,
      )
      // the server says so as soon as it has the head: from then on the request is under way
      socket.once('data', () => resolve())
    })
    return {
      finish: () => {
        socket.write(body.slice(5))
      },
      closed,
    }
  }

  before(async () => {
    requireBuilt()
    folder = await makeTemporaryFolder()
    dataDir = join(folder, 'data')
    settings = {
      PORT: '0',
      DATA_DIR: dataDir,
      RATE_LIMIT_USER: 'off',
      RATE_LIMIT_SIGN_IN: 'off',
      RATE_LIMIT_ANONYMOUS: 'off',
    }
  })
  after(async () => {
    if (program.child.exitCode === null && program.child.signalCode === null) {
      program.child.kill('SIGTERM')
      await program.ended
    }
    await rm(folder, { recursive: true, force: true })
  })

  it('every fault of its settings is in one line, exit 2, before anything is made', async () => {
    const ended = await runProgram(['serve'], {
      ...settings,
      PORT: 'x',
      LOG_LEVEL: 'loud',
      RATE_LIMIT_USER: 'many',
      BASE_URL: 'ftp://x',
    }).ended
    expectOneLine(ended, 2)
    for (const name of ['PORT', 'LOG_LEVEL', 'RATE_LIMIT_USER', 'BASE_URL']) expect(ended.stderr).to.include(name)
  })

  it('what it does not know is one line too, exit 2', async () => {
    const all = await Promise.all(
      [['nonsense'], ['serve', '--port', '1'], ['serve', 'extra']].map((args) => runProgram(args, settings).ended),
    )
    for (const ended of all) expectOneLine(ended, 2)
  })

  it('a cold start prints the address and how to sign in, and no path that leads up', async () => {
    await start()
    expect((await fetch(`${url}/readyz`)).status).to.equal(200)
    expect(program.said())
      .to.include(`password in ${join(dataDir, 'first-admin-password')} `)
      .and.include('curl')
      .and.not.include('..')
    await signIn()
    expect(await create('before')).to.equal(201)
  })

  it('a second instance on the same data folder gets one clear line, exit 1; the first goes on', async () => {
    const ended = await runProgram(['serve'], settings).ended
    expectOneLine(ended, 1)
    expect(ended.stderr).to.include(dataDir)
    expect((await fetch(`${url}/before`, { redirect: 'manual' })).status).to.equal(302)
  })

  it('a taken port is one clear line, exit 1, and the database that was started for it is gone', async () => {
    const other = join(folder, 'other')
    const ended = await runProgram(['serve'], { ...settings, DATA_DIR: other, PORT: new URL(url).port }).ended
    expectOneLine(ended, 1)
    expect(ended.stderr)
      .to.include(`port ${new URL(url).port}`)
      .and.include('PORT')
    expect(await readFile(join(other, 'postgres', 'postmaster.pid'), 'utf8').catch(() => null)).to.equal(null)
  })

  it('a GEOIP_DATABASE that cannot be read is one clear line, exit 1, before anything is made', async () => {
    const other = join(folder, 'without')
    const missing = join(folder, 'missing.mmdb')
    const ended = await runProgram(['serve'], { ...settings, DATA_DIR: other, GEOIP_DATABASE: missing }).ended
    expectOneLine(ended, 1)
    expect(ended.stderr).to.include('GEOIP_DATABASE').and.include(missing)
    expect(await readdir(other).catch(() => null)).to.equal(null)
  })

  it('after kill -9 amid creations it starts again with every link that was acknowledged', async () => {
    const creations = Array.from({ length: 300 }, (_, i) => create(`crash-${i}`).catch(() => 0))
    await Promise.any(
      creations.slice(60, 120).map(async (creation) => {
        if ((await creation) !== 201) throw new Error('not made')
      }),
    )
    program.child.kill('SIGKILL')
    expect(await program.ended).to.include({ signal: 'SIGKILL' })
    await Promise.all(creations)
    expect(acknowledged).to.have.length.of.at.least(2)
    await start()
    for (const code of acknowledged)
      expect((await fetch(`${url}/${code}`, { redirect: 'manual' })).headers.get('Location'), code).to.equal(
        `https://example.com/${code}`,
      )
    const list = await fetch(`${url}/links?limit=1&q=crash-`, { headers: { Authorization: `Bearer ${token}` } })
    expect(list.status, 'the token of before is still valid: the key was kept').to.equal(200)
  })

  it('SIGTERM lets a request in progress finish, takes no new ones, and exits 0; the database is gone', async () => {
    const pid = await postmaster()
    const request = await halfCreate('drained')
    // a connection without a request, as browsers open them, holds nothing up
    const { hostname, port } = new URL(url)
    const idle = connect(Number(port), hostname)
    await new Promise<void>((resolve) => {
      idle.on('connect', () => resolve())
    })
    const idleClosed = new Promise<void>((resolve) => {
      idle.on('close', () => resolve())
    })
    idle.resume()
    // twice at once, as from npm and from the service manager that stops both: one request to stop
    program.child.kill('SIGTERM')
    await until('it drains', async () => (await fetch(`${url}/readyz`)).status === 503)
    program.child.kill('SIGINT')
    await idleClosed
    expect(
      await fetch(`${url}/healthz`).then(
        () => 'answered',
        () => 'refused',
      ),
    ).to.equal('refused')
    request.finish()
    expect(await request.closed).to.match(/HTTP\/1\.1 201 Created/)
    expect(await program.ended).to.include({ code: 0, signal: null, stderr: '' })
    expect(await isRunning(pid)).to.equal(false)
  })

  it('a warm start has what was made while it stopped', async () => {
    await start()
    expect((await fetch(`${url}/drained`, { redirect: 'manual' })).status).to.equal(302)
  })

  it('a second signal ends it at once, with the database', async () => {
    const pid = await postmaster()
    const request = await halfCreate('cut-off')
    program.child.kill('SIGTERM')
    await untilRefused({ baseUrl: url })
    program.child.kill('SIGTERM')
    expect(await request.closed).to.not.include(' 201 ')
    // long before the 15 s that a request in progress may take
    expect(await within('the service ends', program.ended, { withinMs: 10_000 })).to.include({ code: 0 })
    expect(await isRunning(pid)).to.equal(false)
  })
})
