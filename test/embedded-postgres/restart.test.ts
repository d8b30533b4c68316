import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import { textAt } from '../support/json.js'
import { requireBuilt, runProgram, type Program } from '../support/program.js'
import { makeTemporaryFolder } from '../support/temporary-folder.js'
import { until } from '../support/until.js'

describe('a service whose embedded PostgreSQL is killed', () => {
  let program: Program
  let dataDir: string
  let url: string
  let token: string

  const create = (code: string) =>
    fetch(`${url}/links`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ code, target: `https://example.com/${code}` }),
    })

  before(async () => {
    requireBuilt()
    dataDir = join(await makeTemporaryFolder(), 'data')
    program = runProgram(['serve'], { DATA_DIR: dataDir, PORT: '0', LOG_LEVEL: 'warn', RATE_LIMIT_USER: 'off' })
    url = await program.url
    const password = await readFile(join(dataDir, 'first-admin-password'), 'utf8')
    const body = new URLSearchParams({ grant_type: 'password', username: 'admin@localhost', password })
    token = textAt(await (await fetch(`${url}/auth/token`, { method: 'POST', body })).json(), 'access_token')
  })

  after(async () => {
    program.child.kill('SIGTERM')
    await program.ended
  })

  it('answers 503 with Retry-After until it runs again, and has lost nothing', async () => {
    expect((await create('before')).status).to.equal(201)
    process.kill(
      Number((await readFile(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8')).split('\n')[0]),
      'SIGKILL',
    )
    const refusals = new Set<string>()
    let tries = 0
    await until('a link is made after the restart', async () => {
      const { status, headers } = await create(`after-${(tries += 1)}`)
      if (status !== 201) refusals.add(`${status}, Retry-After: ${headers.get('Retry-After')}`)
      // a session may outlive the server by a moment
      return status === 201 && refusals.size > 0
    })
    expect([...refusals]).to.deep.equal(['503, Retry-After: 1'])
    expect((await fetch(`${url}/before`, { redirect: 'manual' })).status).to.equal(302)
    program.child.kill('SIGTERM')
    const { code, stdout } = await program.ended
    expect(code).to.equal(0)
    expect(stdout.match(/PostgreSQL had died and was started again/g)).to.have.length(1)
  })
})
