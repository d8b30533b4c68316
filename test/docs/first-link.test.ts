import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

import { expect } from 'chai'

import { PACKAGE_ROOT } from '../../src/config.js'
import { createAccounts } from '../../src/identity/accounts.js'
import { createPasswords } from '../../src/identity/password.js'
import { attributesOf, codeOf, elementsOf } from '../support/html.js'
import { startTestService, type TestService } from '../support/service.js'
import { makeTemporaryFolder } from '../support/temporary-folder.js'

const run = promisify(execFile)
const PASSWORD = 'a password of hers'

describe('whoever has an account and copies the first examples of the API reference', () => {
  let service: TestService
  let folder: string
  /** what can be copied, by its name */
  let examples: ReadonlyMap<string, string>

  before(async () => {
    service = await startTestService()
    const passwordHash = await (await createPasswords()).hash(PASSWORD)
    const ada = { email: 'ada@example.com', role: 'editor', name: 'Ada', passwordHash }
    await createAccounts(service.database).add(ada)
    folder = await makeTemporaryFolder()
    // as an editor leaves it
    await writeFile(join(folder, 'password-file'), `${PASSWORD}\n`)
    const page = (await service.request('GET', '/docs')).text
    examples = new Map(elementsOf(page, 'pre').map((each) => [attributesOf(each, 'aria-label')[0] ?? '', codeOf(each)]))
  })
  after(() => service.stop())

  const example = (name: string) => examples.get(name) ?? expect.fail(`there is no "${name}"`)

  it('signs in, makes a link and changes it in a shell', async function () {
    if ((await run('curl', ['--version']).catch(() => null)) === null) return this.skip()
    const script = ['Signing in with curl', 'A first link with curl'].map(example).join('\n')
    const { stdout } = await run('sh', ['-euc', script], { cwd: folder })
    expect([...stdout.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => status)).to.deep.equal(['201', '200', '302'])
    expect(stdout).to.include('"email":"ada@example.com"').and.include('"title":"Spring"')
  })

  it('is told by the answer why they have no token', async function () {
    if ((await run('curl', ['--version']).catch(() => null)) === null) return this.skip()
    const script = example('Signing in with curl').replace('ada@example.com', 'nobody@example.com')
    expect((await run('sh', ['-euc', script], { cwd: folder })).stdout).to.include('"error":"invalid_grant"')
  })

  it('signs in, makes a link and changes it by the client', async () => {
    const { href } = new URL('src/client/client.ts', PACKAGE_ROOT)
    const parts = ['Signing in with the client', 'A first link with the client'].map(example).join('\n')
    const program = `const password = ${JSON.stringify(PASSWORD)}\n${parts}`
      .replace(`'linkgate/client'`, `'${href}'`)
      // what the shell has made
      .replaceAll(/(?<=')spring(?=')/g, 'summer')
    await writeFile(join(folder, 'program.mts'), program)
    const { stdout } = await run(process.execPath, ['--import', import.meta.resolve('tsx'), 'program.mts'], {
      cwd: folder,
    })
    expect(stdout.split('\n')).to.include(`${service.baseUrl}/summer`)
    expect((await service.request('GET', '/links/summer')).json).to.include({ title: 'Spring' })
  })
})
