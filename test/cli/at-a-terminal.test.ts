import { access } from 'node:fs/promises'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'

import { expect } from 'chai'

import { testDatabase, type TestDatabase } from '../support/database.js'
import { onDatabase } from '../support/node.js'
import { requireBuilt } from '../support/program.js'
import { CTRL_C, hasTerminals, runAtTerminal, type AtTerminal } from '../support/terminal.js'
import { makeTemporaryFolder } from '../support/temporary-folder.js'
import { until } from '../support/until.js'

const STOP = /Stop {8}Ctrl-C\r\n/

describe('linkgate serve at a terminal', () => {
  let db: TestDatabase
  let settings: Readonly<Record<string, string>>
  const open: AtTerminal[] = []

  before(async function () {
    if (!hasTerminals()) this.skip()
    requireBuilt()
    db = await testDatabase()
    settings = { ...onDatabase(db.service, db.owner), DATA_DIR: await makeTemporaryFolder(), PORT: '0' }
  })
  after(() => Promise.all(open.map((each) => each.stop())))

  const start = async (more: Readonly<Record<string, string>> = {}): Promise<AtTerminal> => {
    const terminal = runAtTerminal('serve', { ...settings, ...more })
    open.push(terminal)
    await terminal.untilShown(STOP)
    return terminal
  }

  it('names the console, then an address that lets the first admin in, and says goodbye after Ctrl-C', async () => {
    const terminal = await start()
    const [, baseUrl = '', token = ''] = await terminal.untilShown(/(http\S+)\/console\/welcome#([\w-]{22})\r\n/)
    const answer = await fetch(`${baseUrl}/auth/password/reset?token=${token}`)
    expect(await answer.json()).to.include({ email: 'admin@localhost' })
    expect((await fetch(`${baseUrl}/no-such-link`)).status).to.equal(404)

    terminal.type(CTRL_C)
    expect(await terminal.ended).to.equal(0)
    const shown = terminal.shown()
    expect(shown.indexOf('/console\r\n')).to.be.within(0, shown.indexOf('/console/welcome#'))
    expect(shown).to.not.match(/^\{|curl/m)
    expect(shown.replace(/^[^]*Ctrl-C/, '').trim()).to.equal('^C\r\n  Stopping. Your links are kept in the database.')
  })

  it('makes no such address again, and warns in colour of what is wrong, but not with NO_COLOR', async () => {
    const WARNING = 'warning  WORKRES is not a setting and is ignored; did you mean WORKERS?\r\n'
    const coloured = await start({ WORKRES: '4' })
    expect(coloured.shown()).to.include('\u001b[33mwarning\u001b[39m').and.not.include('welcome')
    expect(stripVTControlCharacters(coloured.shown())).to.include(WARNING)
    await coloured.stop()
    const plain = await start({ WORKRES: '4', NO_COLOR: '1' })
    expect(plain.shown()).to.include(WARNING).and.not.include('\u001b')
    await plain.stop()
  })

  it('stops its workers and the PostgreSQL that it started when the terminal is closed', async () => {
    const DATA_DIR = await makeTemporaryFolder()
    const running = join(DATA_DIR, 'postgres', 'postmaster.pid')
    const terminal = runAtTerminal('serve', { DATA_DIR, WORKERS: '2', PORT: '0' })
    await terminal.untilShown(STOP)
    await access(running)
    terminal.close()
    const hasEnded = () =>
      access(running).then(
        () => false,
        () => true,
      )
    await until('PostgreSQL has stopped', hasEnded, { withinMs: 60_000 })
  })

  it('shows requests where LOG_LEVEL asks for them, also those of workers', async () => {
    const terminal = await start({ LOG_LEVEL: 'info', WORKERS: '2', NO_COLOR: '1' })
    const [, baseUrl = ''] = await terminal.untilShown(/(http\S+)\/console\r\n/)
    await fetch(`${baseUrl}/no-such-link`)
    await terminal.untilShown(/^\d\d:\d\d:\d\d {2}request {2}GET \/:code 404 {2}\d+ ms {2}worker \d\r\n/m)
    await terminal.stop()
  })

  it('is for programs with LOG_FORMAT=json: JSON, and the address alone', async () => {
    const terminal = await start({ LOG_FORMAT: 'json' })
    await terminal.untilShown(/^\{"level":30,[^\r]*"listening"\}\r\n/m)
    expect(terminal.shown()).to.include('Linkgate listens on http')
    await terminal.stop()
  })
})
