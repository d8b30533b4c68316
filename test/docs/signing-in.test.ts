import { execFile } from 'node:child_process'
import { mkdir, readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

import { expect } from 'chai'

import { PACKAGE_ROOT } from '../../src/config.js'
import { createAccounts } from '../../src/identity/accounts.js'
import { onDatabase } from '../support/node.js'
import { requireBuilt } from '../support/program.js'
import { startTestService, type TestService } from '../support/service.js'
import { makeTemporaryFolder } from '../support/temporary-folder.js'

const run = promisify(execFile)

describe('the commands of the page on signing in', () => {
  let service: TestService
  let folder: string

  before(async () => {
    requireBuilt()
    folder = await makeTemporaryFolder()
    await mkdir(join(folder, 'data'))
    service = await startTestService({ environment: { DATA_DIR: join(folder, 'data') } })
    // as the first start leaves them
    const admin = { email: 'admin@localhost', role: 'admin', name: '', passwordHash: null }
    await createAccounts(service.database).add(admin)
  })
  after(() => service.stop())

  it('work unchanged, one after the other, and print what the page says', async function () {
    // twenty starts of the command line, one after the other
    this.timeout(240_000)
    const { stdout: version = '' } = await run('curl', ['--version']).catch(() => ({ stdout: '' }))
    // --json came with curl 7.82
    if (!/^curl (?:7\.(?:8[2-9]|9)|[89]|\d\d)/.test(version)) return this.skip()
    const page = await readFile(new URL('docs/signing-in.md', PACKAGE_ROOT), 'utf8')
    const [withoutIssuer = ''] = page.split('## With your own OpenID Connect issuer')
    const blocks = [...withoutIssuer.matchAll(/^```sh\n([^]*?)^```$/gm)].map(([, block = '']) => block)
    const script = [
      `npx() { shift; "${process.execPath}" "${fileURLToPath(new URL('bin/linkgate.js', PACKAGE_ROOT))}" "$@"; }`,
      ...blocks,
    ].join('\n')
    const { stdout } = await run('sh', ['-euc', script.replaceAll('http://127.0.0.1:3000', service.baseUrl)], {
      cwd: folder,
      env: {
        ...onDatabase(service.db.service, service.db.owner),
        DATA_DIR: join(folder, 'data'),
        PATH: `${dirname(process.execPath)}:${process.env['PATH'] ?? ''}`,
      },
    })
    // a token that can only create links deletes none
    expect([...stdout.matchAll(/"code":"([a-z_]+)"/g)].map(([, code]) => code)).to.deep.equal([
      'build',
      'insufficient_scope',
    ])
    // a page of another site, a sign-in that ends, an invitation that was used, a token that was revoked
    // (curl ends no answer with a new line)
    const statuses = [...stdout.matchAll(/(?:^|\})(\d{3})$/gm)].map(([, status]) => status)
    expect(statuses).to.deep.equal(['403', '204', '410', '401'])
    expect(stdout.trimEnd()).to.match(/\{"data":\[\]\}$/)
  })
})
