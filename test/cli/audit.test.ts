import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

import { expect } from 'chai'
import { Client } from 'pg'

import { PACKAGE_ROOT } from '../../src/config.js'
import { startTestService, type TestService, type TestUser } from '../support/service.js'
import { runCommand, type CliAnswer } from '../support/cli.js'
import { textAt } from '../support/json.js'
import { onDatabase } from '../support/node.js'
import { makeTemporaryFolder } from '../support/temporary-folder.js'

describe('linkgate audit', () => {
  let service: TestService
  let admin: TestUser
  let editor: TestUser
  let environment: Record<string, string>

  before(async () => {
    const dataDir = join(await makeTemporaryFolder(), 'data')
    service = await startTestService({ environment: { DATA_DIR: dataDir } })
    environment = { ...onDatabase(service.db.service, service.db.owner), DATA_DIR: dataDir }
    editor = await service.addUser('editor')
    await service.request('POST', '/links', {
      token: editor.token,
      json: { target: 'https://example.com/', code: 'listed' },
    })
    admin = await service.addUser('admin')
    await service.request('POST', '/policy/changes', {
      token: admin.token,
      headers: { 'If-Match': '"1"' },
      json: {
        add: [
          {
            ptype: 'p',
            priority: 505,
            rule: 'MOD',
            role: 'viewer',
            action: 'link:update',
            reach: 'own',
            effect: 'deny',
          },
        ],
        remove: [],
        reason: 'to clear \u001b[2Jthe \u202escreen',
      },
    })
    await service.request('PATCH', `/users/${editor.id}`, { token: admin.token, json: { role: 'viewer' } })
  })
  after(() => service.stop())

  const audit = (...args: readonly string[]): Promise<CliAnswer> => runCommand(['audit', ...args], { environment })

  it('lists decisions and changes in one order, without colours in a pipe', async () => {
    const { code, out, err } = await audit('list')
    expect({ code, err }).to.deep.equal({ code: 0, err: '' })
    const lines = out.trimEnd().split('\n')
    const position = (pattern: RegExp) => lines.findIndex((line) => pattern.test(line))
    const made = position(/allow 201 R4 .* link:create +listed/)
    const edited = position(/ policy .* 2 +what=revision .*actor_id=\d+/)
    const decided = position(/allow 200 R3 .* user:update/)
    const demoted = position(/ user .*what=changed role=\["editor","viewer"\]$/)
    expect([made, edited, decided, demoted], out)
      .to.deep.equal([made, edited, decided, demoted].toSorted((a, b) => a - b))
      .and.not.to.include(-1)
  })

  it('shows the id of a link, by which its entries under every code are found', async () => {
    const { json } = await service.request('POST', '/links', {
      token: admin.token,
      json: { target: 'https://example.com/', code: 'before' },
    })
    await service.request('PATCH', '/links/before', { token: admin.token, json: { code: 'after' } })
    await service.request('PATCH', '/links/after', { token: admin.token, json: { code: 'later' } })
    const id = textAt(json, 'id')
    const first = (await audit('list', '--link', 'before')).out
    expect(first).to.match(new RegExp(`link:create +before #${id} .*\n.*link:update +after #${id} .*\n$`))
    expect((await audit('list', '--link', id)).out).to.match(
      /link:create.*\n.*link:update +after .*\n.*link:update +later .*\n$/,
    )
  })

  it('prints no control or direction character of a reason that somebody typed', async () => {
    const { out } = await audit('list', '--kind', 'policy')
    expect(out).to.include('\\u001b[2J').and.to.include('\\u202e')
    // eslint-disable-next-line no-control-regex -- what must not be there
    expect(out).not.to.match(/[\u001b\u202e]/)
  })

  it('filters entries, and exports all that match', async () => {
    const { out } = await audit('list', '--user', editor.email, '--action', 'link:create', '--format', 'ndjson')
    const [entry, ...others] = out
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(others).to.deep.equal([])
    expect(entry).to.deep.include({ kind: 'decision', action: 'link:create', effect: 'allow', rule: 'R4' })
    const all = (await audit('list', '--format', 'ndjson')).out
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    for (const [args, fits] of [
      [['--layer', 'object'], ({ layer }) => layer === 'object'],
      [['--status', '201'], ({ status }) => status === 201],
      [['--status', '2xx'], ({ status }) => status >= 200 && status < 300],
      [['--revision', '2'], ({ revision }) => revision === 2],
      [['--request', entry.request_id], ({ request_id }) => request_id === entry.request_id],
    ] as const satisfies readonly (readonly [readonly string[], (each: typeof entry) => boolean])[]) {
      const { out } = await audit('list', ...args, '--format', 'ndjson')
      const found = out
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line))
      expect(found, args.join(' ')).to.deep.equal(all.filter(fits)).and.not.to.deep.equal([])
    }
    const csv = await audit('list', '--from', '1h', '--format', 'csv')
    expect(csv.out.split('\n')[0]).to.equal(
      'id,time,kind,request_id,revision,layer,subject_id,subject_role,network,token_id,action,resource_type,' +
        'resource_code,relation,effect,rule,row_priority,status,change,resource_id',
    )
    expect((await audit('list', '--to', '1h')).out).to.equal('')
    const limited = await audit('list', '--format', 'csv', '--limit', '5')
    expect(limited.code).to.equal(2)
    expect(limited.err).to.match(/--format .* cannot be used with option '--limit/)
  })

  it('exports no faster than its reader reads', async () => {
    let isWaiting = false
    let early = 0
    const readSlowly = (): boolean => {
      if (isWaiting) early += 1
      isWaiting = true
      setTimeout(() => {
        isWaiting = false
        process.stdout.emit('drain')
      }, 100)
      return false
    }
    const options = { environment, write: readSlowly }
    expect((await runCommand(['audit', 'list', '--format', 'csv'], options)).code).to.equal(0)
    expect((await runCommand(['user', 'list'], options)).code).to.equal(0)
    expect(early).to.equal(0)
  })

  it('lists the entries of a user who was deleted, by the id that the log keeps', async () => {
    const gone = await service.addUser('editor')
    await service.request('POST', '/links', { token: gone.token, json: { target: 'https://example.com/' } })
    await service.request('DELETE', `/users/${gone.id}?links=delete`, { token: admin.token })
    const { code, out, err } = await audit('list', '--user', gone.id)
    expect({ code, err }).to.deep.equal({ code: 0, err: '' })
    expect(out).to.match(new RegExp(` allow 201 R4 +editor ${gone.id} +link:create `))
  })

  /** `audit tail` as a process of its own, and what it has printed. */
  const startTail = (...args: readonly string[]) => {
    const tail = spawn(
      process.execPath,
      [fileURLToPath(new URL('bin/linkgate.js', PACKAGE_ROOT)), 'audit', 'tail', ...args],
      {
        env: { PATH: process.env['PATH'], HOME: process.env['HOME'], ...environment },
        stdio: ['ignore', 'pipe', 'inherit'],
      },
    )
    let seen = ''
    tail.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      seen += chunk
    })
    const lines = () => seen.split('\n').slice(0, -1)
    const shown = async (count: number) => {
      while (lines().length < count) await once(tail.stdout, 'data')
    }
    return { tail, lines, shown }
  }

  it('prints the last entries and then those that happen, each once, until it is interrupted', async () => {
    const cycle = async (code: string) => {
      const json = { target: 'https://example.com/', code }
      await service.request('POST', '/links', { token: editor.token, json })
      await service.request('DELETE', `/links/${code}`, { token: editor.token })
    }
    for (let i = 1; i <= 12; i += 1) await cycle(`early-${i}`)
    const { tail, lines, shown } = startTail('--action', 'link:delete')
    try {
      await shown(10)
      for (let i = 1; i <= 3; i += 1) {
        await cycle(`tailed-${i}`)
        await shown(10 + i)
      }
      expect(lines().map((line) => / ((?:early|tailed)-\d+) /.exec(line)?.[1])).to.deep.equal(
        Array.from({ length: 10 }, (_, i) => `early-${i + 3}`).concat('tailed-1', 'tailed-2', 'tailed-3'),
      )
      // more at once than a page has
      await service.db.asOwner(
        `insert into decisions (request_id, revision, layer, action, resource_type, effect, rule, status)
         select 'at-once-' || n, 1, 'object', 'link:delete', 'link', 'allow', 'R5', 204
           from generate_series(1, 2500) n`,
      )
      await shown(13 + 2_500)
      expect(
        lines()
          .join()
          .match(/at-once-\d+/g),
      ).to.deep.equal(Array.from({ length: 2_500 }, (_, i) => `at-once-${i + 1}`))
      const ended = once(tail, 'exit')
      tail.kill('SIGINT')
      expect(await ended).to.deep.equal([0, null])
    } finally {
      tail.kill('SIGKILL')
    }
  })

  it('prints an entry whose transaction commits after many others, which got their ids later', async () => {
    const entries = (name: string) =>
      `insert into decisions (request_id, revision, layer, action, resource_type, effect, rule, status)
       select '${name}', 1, 'object', 'link:transfer', 'link', 'allow', 'R3', 200 from generate_series(1, $1::int)`
    await service.db.asOwner(entries('early'), [1])
    const slow = new Client(service.db.owner)
    await slow.connect()
    await slow.query('begin')
    await slow.query(entries('slow'), [1])
    const { tail, lines, shown } = startTail('--action', 'link:transfer')
    try {
      await shown(1)
      await service.db.asOwner(entries('quick'), [2_500])
      await shown(1 + 2_500)
      await slow.query('commit')
      await shown(1 + 2_500 + 1)
      expect(lines().at(-1)).to.match(/ slow$/)
    } finally {
      tail.kill('SIGKILL')
      await slow.end()
    }
  })

  it('says what is wrong with its arguments', async () => {
    for (const [args, message] of [
      [['list', '--user', 'nobody@example.com'], 'there is no user nobody@example.com'],
      [['list', '--from', 'yesterday'], 'must be a time such as'],
      [['list', '--from', '2026-02-30'], 'must be a time such as'],
      [['list', '--to', '2026-11-21T05:00'], 'must be a time such as'],
      [['list', '--from', '2026-11-02', '--to', '2026-11-01'], '--from must be before --to'],
      [['list', '--from', '1h', '--to', '2h', '--format', 'csv'], '--from must be before --to'],
      [['list', '--status', '6xx'], 'must be a status such as 403, or a class such as 4xx'],
      [['tail', '--layer', 'http'], 'gateway, endpoint, object, data'],
      [['list', '--revision', 'last'], 'must be the number of a revision'],
      [['list', '--link', 'https://example.com/spring'], 'must be the code or the id of a link'],
      [['expire', '--before', '2999-01'], 'must not be later than this month'],
      [['expire', '--before', '0000-01'], 'must be a month'],
      [['expire'], '--before'],
      [['verify', '--key', '/nowhere.pem'], 'there is no file /nowhere.pem'],
    ] as const) {
      const { code, err } = await audit(...args)
      expect(code, args.join(' ')).to.be.oneOf([1, 2])
      expect(err)
        .to.include(message)
        .and.to.match(/^linkgate: [^\n]+\n$/)
    }
  })

  it('finds the log intact, signed, and nothing to drop', async () => {
    const { code, out } = await audit('verify')
    expect({ code, out }).to.deep.include({ code: 0 })
    expect(out).to.match(/^intact: [\d,]+ entries in \d+ chains?; matches the checkpoint signed at 20/)
    expect(await audit('expire', '--before', '2026-01')).to.deep.include({
      code: 0,
      out: 'there is nothing before 2026-01\n',
    })
  })

  it('names what was changed in the database, with exit code 1, and then drops nothing', async () => {
    const [entry] = await service.db.asOwner<{ id: string; writer: number; seq: string }>(
      `update decisions set effect = 'deny' where action = 'link:create' and resource_code = 'listed'
       returning id, writer, seq`,
    )
    const { code, out } = await audit('verify')
    expect(code).to.equal(1)
    expect(out)
      .to.match(/^NOT intact: 1 fault in /)
      .and.to.include(`altered   record ${entry?.id} (entry ${entry?.seq} of chain ${entry?.writer})`)
    const json = JSON.parse((await audit('verify', '--json')).out)
    expect(json).to.deep.include({ whole: false, faults_found: 1 })
    expect(await audit('expire', '--before', '2026-01')).to.deep.include({
      code: 1,
      err: 'linkgate: nothing was dropped: the log is not intact (1 fault; see linkgate audit verify)\n',
    })
  })
})
