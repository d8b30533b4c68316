import { spawnSync } from 'node:child_process'
import { createPublicKey, generateKeyPairSync } from 'node:crypto'
import { readFile, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

import { expect } from 'chai'

import { PACKAGE_ROOT } from '../../src/config.js'
import { runCommand } from '../support/cli.js'
import { checkEvidence } from '../support/evidence-verifier.js'
import { listAt, textAt } from '../support/json.js'
import { onDatabase } from '../support/node.js'
import { requireBuilt } from '../support/program.js'
import { startTestService, type TestService } from '../support/service.js'
import { makeTemporaryFolder } from '../support/temporary-folder.js'

describe('linkgate audit evidence', () => {
  let service: TestService
  let environment: Record<string, string>
  let folder: string
  let keyFile: string
  before(requireBuilt)
  before(async () => {
    const dataDir = join(await makeTemporaryFolder(), 'data')
    service = await startTestService({ environment: { DATA_DIR: dataDir } })
    environment = { ...onDatabase(service.db.service, service.db.owner), DATA_DIR: dataDir }
    const editor = await service.addUser('editor')
    for (const code of ['one', 'two'])
      await service.request('POST', '/links', { token: editor.token, json: { target: 'https://example.com/', code } })
    folder = await makeTemporaryFolder()
    keyFile = join(folder, 'public.pem')
    const { json } = await service.request('GET', '/.well-known/jwks.json')
    const [x, y] = [textAt(json, 'keys', 0, 'x'), textAt(json, 'keys', 0, 'y')]
    const key = createPublicKey({ key: { kty: 'EC', crv: 'P-256', x, y }, format: 'jwk' })
    await writeFile(keyFile, key.export({ type: 'spki', format: 'pem' }))
  })
  after(() => service.stop())

  const evidence = async (name: string, ...args: readonly string[]) => {
    const { code, out, err } = await runCommand(['audit', 'evidence', ...args], { environment })
    const file = join(folder, name)
    await writeFile(file, out)
    return { code, out, err, file }
  }
  /** As on another machine: a folder of its own, and no settings. */
  const elsewhere = async (...args: readonly string[]) => {
    const [cwd, coverage] = [await makeTemporaryFolder(), await makeTemporaryFolder()]
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      [fileURLToPath(new URL('bin/linkgate.js', PACKAGE_ROOT)), 'audit', 'verify', ...args],
      { cwd, env: { PATH: process.env['PATH'], NODE_V8_COVERAGE: coverage }, encoding: 'utf8', timeout: 60_000 },
    )
    const reports = await Promise.all((await readdir(coverage)).map((name) => readFile(join(coverage, name), 'utf8')))
    const loaded = reports.flatMap((report) => listAt(JSON.parse(report), 'result').map((each) => textAt(each, 'url')))
    return { code: status, out: stdout, err: stderr, loaded, left: await readdir(cwd) }
  }

  it('prints one file, which is verified in another place, with no database and no settings', async () => {
    const { code, err, out, file } = await evidence('whole.ndjson')
    expect({ code, err }).to.deep.equal({ code: 0, err: '' })
    const pinned = await elsewhere(file, '--key', keyFile)
    expect({ code: pinned.code, err: pinned.err, left: pinned.left }).to.deep.equal({ code: 0, err: '', left: [] })
    expect(pinned.out)
      .to.match(/^intact: \d+ entries in \d+ chains?, with \d+ checkpoints?\n/)
      .and.to.match(/\nsigned by the key [\w-]{43}, which was given\n$/)
    expect(pinned.loaded.some((url) => url.includes('/dist/audit/verify-evidence.js'))).to.equal(true)
    expect(
      pinned.loaded.filter((url) => /\/(?:dist\/(?:database|embedded-postgres)|node_modules\/(?:pg|knex))\b/.test(url)),
    ).to.deep.equal([])
    const own = await elsewhere(file)
    expect(own.code).to.equal(0)
    expect(own.out).to.include("compare it with the installation's (key.thumbprint of GET /audit/proof)")
    checkEvidence(Buffer.from(out), [createPublicKey(await readFile(keyFile, 'utf8'))])
  })

  it('is verified with exit code 1 where a byte was changed, and says which entry it is of', async () => {
    const { out } = await evidence('genuine.ndjson', '--from', '1h')
    const changed = join(folder, 'changed.ndjson')
    await writeFile(changed, out.replace('link:create', 'link:delete'))
    const { code, out: said } = await elsewhere(changed, '--key', keyFile)
    expect(code).to.equal(1)
    expect(said)
      .to.match(/^NOT intact: 2 faults in /)
      .and.to.match(/\naltered   record \d+ \(entry \d+ of chain \d+\)\n/)
      .and.to.include('\nthe file does not hold what was signed: a byte was changed\n')
    const json = JSON.parse((await elsewhere(changed, '--json')).out)
    expect(json).to.deep.include({ whole: false, faults_found: 2, pinned: false })
  })

  it('is not intact where it is signed with another key than the one that was given', async () => {
    const { file } = await evidence('pinned.ndjson')
    const other = join(folder, 'other.pem')
    await writeFile(
      other,
      generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({ type: 'spki', format: 'pem' }),
    )
    const { code, out } = await elsewhere(file, '--key', other)
    expect(code).to.equal(1)
    expect(out).to.match(/the file is signed with the key [\w-]{43}, which was not given/)
  })

  it('says what is wrong with its arguments', async () => {
    for (const [args, message] of [
      [['evidence', '--from', 'yesterday'], 'must be a time such as'],
      [['evidence', '--from', '1h', '--to', '2h'], '--from must be before --to'],
      [['evidence', '--from', '9000-01-01'], '--from must be in the past'],
      [['verify', '/nowhere.ndjson'], 'there is no file /nowhere.ndjson'],
      [['verify', folder], 'a folder is no file'],
      [['verify', keyFile, '--key', '/nowhere.pem'], 'there is no file /nowhere.pem'],
    ] as const) {
      const { code, err } = await runCommand(['audit', ...args], { environment })
      expect(code, args.join(' ')).to.equal(2)
      expect(err).to.include(message)
    }
    expect((await runCommand(['audit', 'verify', keyFile], { environment })).code).to.equal(1)
  })

  it('of a log that is not intact is printed all the same, with exit code 1', async () => {
    await service.db.asOwner(`update decisions set effect = 'deny' where resource_code = 'two'`)
    const { code, err, file } = await evidence('tampered.ndjson')
    expect(code).to.equal(1)
    expect(err).to.match(
      /^linkgate: the log is NOT intact \(1 fault; see linkgate audit verify\), and the file records it\n/,
    )
    const { code: verdict, out } = await elsewhere(file)
    expect(verdict).to.equal(1)
    expect(out).to.include('was made of a log that was not intact (1 found then)')
  })
})
