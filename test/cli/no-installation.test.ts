import { once } from 'node:events'
import { access, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:net'
import { join } from 'node:path'

import { expect } from 'chai'

import { withPool } from '../support/bare-database.js'
import { runCommand } from '../support/cli.js'
import { cluster, createDatabase } from '../support/cluster.js'
import { testDatabase } from '../support/database.js'
import { onDatabase, startNode, urlOf } from '../support/node.js'
import { freePort } from '../support/proxy.js'
import { requireBuilt, runProgram, type Ended } from '../support/program.js'
import { makeTemporaryFolder } from '../support/temporary-folder.js'
import { untilSaid } from '../support/workers.js'

const COMMANDS = [
  ['audit', 'verify'],
  ['audit', 'list'],
  ['audit', 'expire', '--before', '2026-01'],
  ['policy', 'export'],
  ['policy', 'history'],
  ['user', 'list'],
  ['user', 'add', '--email', 'a@example.com', '--role', 'viewer'],
  ['token', '--user', 'a@example.com'],
  ['visits', 'a-code'],
] as const

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  )

const expectOneLine = ({ stderr, code }: Ended, exit: number) => {
  expect(stderr).to.match(/^linkgate: [^\n]+\n$/)
  expect(code).to.equal(exit)
}

describe('where there is no installation', () => {
  let dataDir: string
  beforeEach(async () => {
    dataDir = join(await makeTemporaryFolder(), 'data')
  })

  it('every command but serve and migrate says so, with the folder, exit 2, and makes nothing', async () => {
    for (const command of [...COMMANDS, ['migrate', '--status']]) {
      const { code, out, err } = await runCommand(command, { environment: { DATA_DIR: dataDir } })
      expect({ code, out }, command.join(' ')).to.deep.equal({ code: 2, out: '' })
      expect(err)
        .to.match(/^linkgate: there is no installation [^\n]+\n$/)
        .and.include(dataDir)
        .and.include('DATA_DIR')
      expect(await exists(dataDir), command.join(' ')).to.equal(false)
    }
  })

  it('a file in the place of the folder is none either', async () => {
    await writeFile(dataDir, '')
    for (const command of [
      ['user', 'list'],
      ['token', '--user', 'a@example.com'],
    ]) {
      const { code, err } = await runCommand(command, { environment: { DATA_DIR: dataDir } })
      expect(err, command.join(' ')).to.match(/^linkgate: there is no installation [^\n]+\n$/)
      expect(code).to.equal(2)
    }
  })

  it('nor does one make a schema in an empty database', async () => {
    const { name, owner } = await createDatabase()
    await cluster()
    for (const urls of [{ DATABASE_URL: urlOf(owner) }, onDatabase(owner, owner)])
      for (const command of COMMANDS) {
        const { code, out, err } = await runCommand(command, { environment: { ...urls, DATA_DIR: dataDir } })
        expect({ code, out }, command.join(' ')).to.deep.equal({ code: 2, out: '' })
        expect(err)
          .to.match(/^linkgate: there is no installation [^\n]+\n$/)
          .and.include(name)
          .and.not.include(String(owner.password))
      }
    const elsewhere = await createDatabase()
    const { err } = await runCommand(['user', 'list'], {
      environment: { ...onDatabase(owner, elsewhere.owner), DATA_DIR: dataDir },
    })
    expect(err, 'the one that was looked at').to.include(name).and.not.include(elsewhere.name)
    expect(await withPool(owner)(`select from pg_class where relname = 'schema_migrations'`)).to.deep.equal([])
    expect(await exists(dataDir)).to.equal(false)
  })
})

describe('where the database does not answer', () => {
  it('every command says so, and which settings name it', async () => {
    const url = `postgres://ada@127.0.0.1:${await freePort()}/links`
    for (const command of [...COMMANDS, ['migrate'], ['migrate', '--status']])
      for (const urls of [{ DATABASE_URL: url }, { DATABASE_URL: url, MIGRATION_DATABASE_URL: url }]) {
        const { code, out, err } = await runCommand(command, { environment: urls })
        expect({ code, out }, command.join(' ')).to.deep.equal({ code: 1, out: '' })
        expect(err, command.join(' ')).to.match(
          /^linkgate: the database does not answer: [^\n]+ \(DATABASE_URL, [^\n]+\n$/,
        )
      }
  })
})

describe('a start', () => {
  let dataDir: string
  let onEmpty: Readonly<Record<string, string>>
  before(requireBuilt)
  beforeEach(async () => {
    dataDir = join(await makeTemporaryFolder(), 'data')
    const { service, owner } = await testDatabase()
    onEmpty = { ...onDatabase(service, owner), DATA_DIR: dataDir }
  })

  const takePort = async (): Promise<{ readonly server: Server; readonly port: string }> => {
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    const address = server.address()
    return { server, port: String(typeof address === 'object' ? address?.port : '') }
  }

  for (const workers of ['1', '2'])
    it(`looks whether its ports are free before it makes anything, with WORKERS=${workers}`, async () => {
      const { server, port } = await takePort()
      try {
        for (const ports of [{ PORT: port }, { PORT: '0', METRICS_PORT: port }]) {
          const ended = await runProgram(['serve'], { DATA_DIR: dataDir, WORKERS: workers, ...ports }).ended
          expectOneLine(ended, 1)
          expect(ended.stderr)
            .to.include(`port ${port} on 127.0.0.1 is taken`)
            .and.include('METRICS_PORT' in ports ? 'METRICS_PORT' : 'set PORT')
          expect(await exists(dataDir)).to.equal(false)
        }
      } finally {
        server.close()
      }
    })

  it('is refused where the signing key that was named is not there, before it makes anything', async () => {
    const file = join(dataDir, 'mistyped.pem')
    const ended = await runProgram(['serve'], { DATA_DIR: dataDir, JWT_SIGNING_KEY_FILE: file, PORT: '0' }).ended
    expectOneLine(ended, 1)
    expect(ended.stderr).to.include(file).and.include('JWT_SIGNING_KEY_FILE')
    expect(await exists(dataDir)).to.equal(false)
  })

  it('makes the default key and says so in the log, once; the next start says nothing', async () => {
    const file = join(dataDir, 'signing-key.pem')
    for (const made of [1, 0]) {
      const node = await startNode({ ...onEmpty, WORKERS: '2' })
      await untilSaid(node, (output) => output.includes('Ctrl-C'))
      await node.stop()
      expect(
        node.output().match(/"file":"[^"]*signing-key\.pem"[^\n]*"[^"]*signing key was made/g) ?? [],
      ).to.have.length(made)
      expect(await exists(file)).to.equal(true)
    }
  })

  it('prints commands that find the installation, where DATA_DIR is not the default', async () => {
    const program = runProgram(['serve'], { ...onEmpty, DATA_DIR: `${dataDir}'s`, PORT: '0' })
    await program.url
    program.child.kill('SIGTERM')
    const { stdout } = await program.ended
    expect(stdout).to.include(`DATA_DIR='${dataDir}'\\''s' npx linkgate token --user admin@localhost`)
  })

  it('a command makes no key: it would sign with one that nobody else has', async () => {
    const add = ['user', 'add', '--email', 'a@example.com', '--role', 'viewer']
    expect((await runCommand(add, { environment: onEmpty })).code).to.equal(0)
    for (const command of [
      ['token', '--user', 'a@example.com'],
      ['audit', 'verify'],
    ]) {
      const { code, out, err } = await runCommand(command, { environment: onEmpty })
      expect({ code, out }).to.deep.equal({ code: 1, out: '' })
      expect(err).to.match(/^linkgate: there is no signing key [^\n]+\n$/)
      expect(await exists(dataDir)).to.equal(false)
    }
  })
})
