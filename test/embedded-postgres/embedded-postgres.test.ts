import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { chmod, chown, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { connect, createServer, type Socket } from 'node:net'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import { Client, type ClientConfig } from 'pg'
import { StartError } from '../../src/domain/start-error.js'
import {
  claimDataDir,
  openEmbeddedPostgres,
  type EmbeddedOptions,
  type EmbeddedPostgres,
} from '../../src/embedded-postgres/embedded-postgres.js'
import { isRunning } from '../support/is-running.js'
import { makeTemporaryFolder } from '../support/temporary-folder.js'
import { untilGone } from '../support/workers.js'

const USER = fileURLToPath(new URL('user.ts', import.meta.url))

const query = async (config: ClientConfig, text: string): Promise<readonly Record<string, unknown>[]> => {
  const client = new Client(config)
  client.on('error', () => undefined)
  await client.connect()
  try {
    return (await client.query<Record<string, unknown>>(text)).rows
  } finally {
    await client.end()
  }
}

const refusalOf = async (work: Promise<unknown>): Promise<StartError> => {
  const error: unknown = await work.then(
    () => undefined,
    (reason) => reason,
  )
  if (!(error instanceof StartError)) throw new Error('expected a StartError', { cause: error })
  expect(error.message).not.to.include('\n')
  return error
}

const pidIn = async (cluster: string): Promise<number> =>
  Number((await readFile(join(cluster, 'postmaster.pid'), 'utf8')).split('\n')[0])

const kill = async (pid: number): Promise<void> => {
  process.kill(pid, 'SIGKILL')
  await untilGone([pid], isRunning)
}

/** Another process that does `task` with the data folder; `said` is its first line. It stays until it is killed. */
const startUser = async (task: 'open' | 'claim', dataDir: string): Promise<{ child: ChildProcess; said: string }> => {
  const child = spawn(process.execPath, ['--import', 'tsx', USER, task, dataDir], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [said]: unknown[] = await once(createInterface(child.stdout), 'line')
  return { child, said: String(said) }
}

const killUser = async (child: ChildProcess): Promise<void> => {
  const exit = once(child, 'exit')
  child.kill('SIGKILL')
  await exit
}

describe('the embedded PostgreSQL', () => {
  let folder: string
  let dataDir: string
  let opened: EmbeddedPostgres[]

  const open = async (options: Partial<EmbeddedOptions> = {}): Promise<EmbeddedPostgres> => {
    const postgres = await openEmbeddedPostgres({ dataDir, ...options })
    opened.push(postgres)
    return postgres
  }

  before(async () => {
    opened = []
    folder = await makeTemporaryFolder()
    dataDir = join(folder, 'data')
  })

  afterEach(async () => {
    await Promise.all(opened.splice(0).map((postgres) => postgres.leave()))
  })

  after(async () => {
    await rm(folder, { recursive: true, force: true })
  })

  it('starts from nothing, in UTF-8 with checksums and durable, and keeps its secrets to itself', async () => {
    const { owner, service } = await open()
    const [row] = await query(
      owner,
      `select current_setting('server_encoding') as encoding,
      current_setting('fsync') as fsync,
      current_setting('data_checksums') as checksums, current_setting('listen_addresses') as addresses,
      current_setting('password_encryption') as passwords, datlocprovider as provider, datlocale as locale
      from pg_database where datname = 'linkgate'`,
    )
    expect(row).to.deep.equal({
      encoding: 'UTF8',
      fsync: 'on',
      checksums: 'on',
      addresses: '',
      passwords: 'scram-sha-256',
      provider: 'b',
      locale: 'C.UTF-8',
    })
    expect(service.user).to.equal('linkgate_service')
    expect(service.password).to.have.length.above(30).and.not.to.equal(owner.password)
    expect((await stat(join(dataDir, 'postgres-credentials.json'))).mode & 0o777).to.equal(0o600)
    expect((await stat(dataDir)).mode & 0o007).to.equal(0)
    expect((await stat(owner.host ?? '')).mode & 0o777).to.equal(0o700)
    expect(
      (await readdir(dataDir)).filter((name) => name.startsWith('init-')),
      'drafts',
    ).to.deep.equal([])
  })

  it('lets nobody in without the password', async () => {
    const { owner } = await open()
    const attempt = query({ ...owner, password: 'wrong' }, 'select 1')
    const error: unknown = await attempt.then(
      () => undefined,
      (reason) => reason,
    )
    expect(error).to.have.property('code', '28P01')
  })

  it('is joined by a second user and stops after the last one left', async () => {
    const first = await open()
    const second = await open()
    const pid = await pidIn(join(dataDir, 'postgres'))
    expect(second.owner).to.deep.equal(first.owner)
    await first.leave()
    await first.leave()
    expect(await query(second.owner, 'select 1 as one')).to.deep.equal([{ one: 1 }])
    await second.leave()
    expect(await isRunning(pid)).to.equal(false)
  })

  it('keeps what was committed through a kill -9 of PostgreSQL', async () => {
    const { owner } = await open({ restarts: false })
    await query(owner, 'create table kept as select 42 as answer')
    await kill(await pidIn(join(dataDir, 'postgres')))
    const again = await open()
    expect(await query(again.owner, 'select answer from kept')).to.deep.equal([{ answer: 42 }])
  })

  it('is started again at the same address when it dies, by one of the processes that use it', async () => {
    const lines: string[] = []
    let tell = (): void => undefined
    const told = new Promise<void>((resolve) => {
      tell = resolve
    })
    const log = (line: string) => {
      lines.push(line)
      tell()
    }
    const [first, second] = [await open({ log }), await open({ log })]
    const pid = await pidIn(join(dataDir, 'postgres'))
    await query(first.owner, 'create table kept_again as select 43 as answer')
    await kill(pid)
    await told
    expect(await query(first.owner, 'select answer from kept_again')).to.deep.equal([{ answer: 43 }])
    const successor = await pidIn(join(dataDir, 'postgres'))
    expect(successor).not.to.equal(pid)
    await first.leave()
    expect(await isRunning(successor)).to.equal(true)
    await second.leave()
    expect(await isRunning(successor)).to.equal(false)
    expect(lines).to.deep.equal(['PostgreSQL had died and was started again'])
  })

  it('stays down when it dies and its last user leaves', async () => {
    const { leave } = await open()
    const pid = await pidIn(join(dataDir, 'postgres'))
    await kill(pid)
    await leave()
    expect(await isRunning(await pidIn(join(dataDir, 'postgres')))).to.equal(false)
  })

  it('outlives a kill -9 of the process that started it, and is joined by the next one', async () => {
    const { child } = await startUser('open', dataDir)
    const pid = await pidIn(join(dataDir, 'postgres'))
    await killUser(child)
    expect(await isRunning(pid)).to.equal(true)
    const { owner, leave } = await open()
    expect(await pidIn(join(dataDir, 'postgres'))).to.equal(pid)
    expect(await query(owner, 'select answer from kept')).to.deep.equal([{ answer: 42 }])
    await leave()
    expect(await isRunning(pid)).to.equal(false)
  })

  it('starts although its pid file has the number of another process by now', async () => {
    await (await open()).leave()
    const file = join(dataDir, 'postgres', 'postmaster.pid')
    const bystander = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1e9)'])
    try {
      await once(bystander, 'spawn')
      const lines = [bystander.pid, join(dataDir, 'postgres'), 1, 5432, join(dataDir, 'run'), '', '1 1', 'ready', '']
      await writeFile(file, lines.join('\n'))
      const { owner, leave } = await open()
      expect(await query(owner, 'select 1 as one')).to.deep.equal([{ one: 1 }])
      await leave()
      expect(bystander.exitCode ?? bystander.signalCode).to.equal(null)
    } finally {
      bystander.kill('SIGKILL')
    }
  })

  it('starts where a server that has just died is still being cleared away: its socket is the last to go', async () => {
    await (await open()).leave()
    const dying = createServer((socket) => {
      socket.destroy()
      dying.close()
    })
    await once(dying.listen(join(dataDir, 'run', '.s.PGSQL.5432')), 'listening')
    const { owner } = await open()
    expect(await query(owner, 'select 1 as one')).to.deep.equal([{ one: 1 }])
  })

  it('refuses to start a second server beside one whose process is not to be seen', async () => {
    const { owner, leave } = await open()
    const cluster = join(dataDir, 'postgres')
    const file = join(cluster, 'postmaster.pid')
    const [pid, text] = [await pidIn(cluster), await readFile(file, 'utf8')]
    const users = await readdir(join(dataDir, 'users'))
    // as another container sees it: no process has this number
    const unseen = text.replace(String(pid), String(2 ** 22))
    await writeFile(file, unseen)
    try {
      const { message } = await refusalOf(open())
      expect(message).to.equal(
        `a PostgreSQL of another container already runs on ${cluster}: stop it, or set DATA_DIR to another folder`,
      )
      expect(await readFile(file, 'utf8')).to.equal(unseen)
      expect(await readdir(join(dataDir, 'users')), 'the locks of its users').to.deep.equal(users)
      expect(await query(owner, 'select 1 as one')).to.deep.equal([{ one: 1 }])
    } finally {
      await writeFile(file, text)
    }
    await leave()
    expect(await isRunning(pid)).to.equal(false)
  })

  it('refuses to start a second server beside one that is not to be seen and takes no more connections', async () => {
    const { leave, socket } = await open()
    const cluster = join(dataDir, 'postgres')
    const file = join(cluster, 'postmaster.pid')
    const [pid, text] = [await pidIn(cluster), await readFile(file, 'utf8')]
    const waiting: Socket[] = []
    process.kill(pid, 'SIGSTOP')
    await writeFile(file, text.replace(String(pid), String(2 ** 22)))
    try {
      for (let refused: unknown; refused === undefined;) {
        const next = connect(join(socket.host, `.s.PGSQL.${socket.port}`))
        waiting.push(next)
        refused = await once(next, 'connect').then(
          () => undefined,
          (error: unknown) => error,
        )
        expect(waiting.length).to.be.below(10_000)
      }
      expect((await refusalOf(open())).message).to.include('already runs')
    } finally {
      for (const each of waiting) each.destroy()
      process.kill(pid, 'SIGCONT')
      await writeFile(file, text)
    }
    await leave()
    expect(await isRunning(pid)).to.equal(false)
  })

  it('uses a short path for its socket where that of the data folder is too long', async () => {
    const postgres = await open({ dataDir: join(folder, 'd'.repeat(100)), settings: { fsync: 'off' } })
    expect(Buffer.byteLength(postgres.socket.host)).to.be.below(80)
    expect(await query(postgres.owner, 'select 1 as one')).to.deep.equal([{ one: 1 }])
    await postgres.leave()
    expect(await stat(postgres.socket.host).catch(() => undefined)).to.equal(undefined)
  })

  it('begins again where its making was interrupted, and becomes one server for two processes at once', async () => {
    dataDir = join(folder, 'raced')
    await mkdir(join(dataDir, 'init-abcdef', 'cluster'), { recursive: true })
    await writeFile(join(dataDir, 'init-abcdef', 'cluster', 'PG_VERSION'), '18\n')
    await chmod(dataDir, 0o711)
    const users = await Promise.all([startUser('open', dataDir), startUser('open', dataDir)])
    try {
      expect(users[0].said)
        .to.match(/^\d+ .*run$/)
        .and.to.equal(users[1].said)
      expect((await readdir(dataDir)).filter((name) => name.startsWith('init-'))).to.deep.equal([])
    } finally {
      await Promise.all(users.map(({ child }) => killUser(child)))
    }
    await open()
  })

  it('says in one line that another major version made the database', async () => {
    await writeFile(join(dataDir, 'postgres', 'PG_VERSION'), '15\n')
    expect((await refusalOf(open())).message).to.match(/was created by PostgreSQL 15 and cannot be opened by 18/)
    await writeFile(join(dataDir, 'postgres', 'PG_VERSION'), '18\n')
  })

  it('says in one line where to look when the server does not come up', async () => {
    const control = join(dataDir, 'postgres', 'global', 'pg_control')
    await writeFile(control, '')
    const { message } = await refusalOf(open())
    expect(message)
      .to.match(/did not come up/)
      .and.to.include(join(dataDir, 'postgres.log'))
  })

  it('says in one line that the passwords of a database are gone', async () => {
    await rm(join(dataDir, 'postgres-credentials.json'))
    expect((await refusalOf(open())).message).to.match(/postgres-credentials\.json is missing/)
  })

  it('says in one line that the data folder cannot be used', async () => {
    const file = join(folder, 'file')
    await writeFile(file, '')
    expect((await refusalOf(openEmbeddedPostgres({ dataDir: file }))).message).to.match(/cannot be made/)
    expect((await refusalOf(openEmbeddedPostgres({ dataDir: join(file, 'below') }))).message).to.match(/cannot be made/)
    expect((await refusalOf(openEmbeddedPostgres({ dataDir: '/proc/linkgate' }))).message).to.match(/cannot be made/)
  })

  it('says in one line whom the database belongs to where the server cannot be that user', async function () {
    if (process.geteuid?.() !== 0) this.skip()
    const cluster = join(dataDir, 'postgres')
    const { uid, gid } = await stat(cluster)
    await chown(cluster, 0, 0)
    expect((await refusalOf(open())).message).to.match(/belongs to root, as which PostgreSQL does not run/)
    await chown(cluster, uid, gid)
  })

  it('says in one line that the path of the data folder has a character that a shell would expand', async () => {
    expect((await refusalOf(open({ dataDir: join(folder, '$HOME') }))).message).to.include('the path has one of')
  })

  it('works for root below a folder that only root may enter', async function () {
    if (process.geteuid?.() !== 0) this.skip()
    const closed = await mkdtemp(join(homedir(), '.linkgate-test-'))
    let elsewhere: string | undefined
    try {
      const lines: string[] = []
      const options = { dataDir: join(closed, 'data'), settings: { fsync: 'off' } }
      const postgres = await openEmbeddedPostgres({ ...options, log: (line) => lines.push(line) })
      elsewhere = (await readFile(join(closed, 'data', 'postgres-location'), 'utf8')).trim()
      await query(postgres.owner, 'create table kept ()')
      await postgres.leave()
      const again = await openEmbeddedPostgres(options)
      await query(again.owner, 'select from kept')
      await again.leave()
      expect(lines.join('\n')).to.include(elsewhere)

      await rm(elsewhere, { recursive: true })
      expect((await refusalOf(openEmbeddedPostgres(options))).message).to.match(/which is gone/)
    } finally {
      await rm(closed, { recursive: true, force: true })
      if (elsewhere) await rm(elsewhere, { recursive: true, force: true })
    }
  })
})

describe('the claim of a data folder', () => {
  let folder: string

  before(async () => {
    folder = await makeTemporaryFolder()
  })
  after(() => rm(folder, { recursive: true, force: true }))

  it('is refused while a live process has it, and free again after its release', async () => {
    const claim = await claimDataDir(folder)
    const { message } = await refusalOf(claimDataDir(folder))
    expect(message).to.include(`another Linkgate (process ${process.pid}) already serves`)
    await claim.release()
    await (await claimDataDir(folder)).release()
  })

  it('is taken over from a process that was killed', async () => {
    const { child } = await startUser('claim', folder)
    expect((await refusalOf(claimDataDir(folder))).message).to.include(`(process ${child.pid})`)
    await killUser(child)
    const claims = await Promise.allSettled(Array.from({ length: 10 }, () => claimDataDir(folder)))
    expect(
      claims.filter(({ status }) => status === 'fulfilled'),
      'claims at the same moment',
    ).to.have.length(1)
  })
})
