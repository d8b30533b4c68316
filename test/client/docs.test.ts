import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

import { expect } from 'chai'

import { createClient } from '../../src/client/client.js'
import { PACKAGE_ROOT } from '../../src/config.js'
import { REFERENCE_HEADING, clientReference } from '../support/client-reference.js'
import { startTestService, type TestService } from '../support/service.js'
import { makeTemporaryFolder } from '../support/temporary-folder.js'

const run = promisify(execFile)
const ROOT = fileURLToPath(PACKAGE_ROOT)

/** The examples of a page as one program: imports are hoisted, and everything else follows in its order. */
const programIn = (page: string): string =>
  [...page.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(([, example]) => example).join('\n')

describe('docs/client.md', () => {
  let page: string
  before(async () => {
    page = await readFile(new URL('docs/client.md', PACKAGE_ROOT), 'utf8')
  })

  it('has the reference that the types and comments make (npx tsx test/client/write-reference.ts)', async () => {
    const [, reference] = page.split(REFERENCE_HEADING)
    expect(reference).to.equal(`${await clientReference()}\n`)
  })

  describe('its examples', () => {
    let service: TestService
    let folder: string
    let program: string
    before(async () => {
      service = await startTestService()
      const admin = await service.addUser('admin')
      const client = createClient({ baseUrl: service.baseUrl, token: admin.token })
      const { url } = await client.inviteUser({ email: 'ada@example.com', role: 'editor' })
      const token = new URL(url).pathname.split('/')[2] ?? ''
      await client.acceptInvitation(token, { name: 'Ada', password: 'a password of hers' })
      const made = await client.createPersonalToken({
        name: 'the examples',
        scopes: ['link:read', 'link:create', 'link:update', 'policy:read', 'policy:write', 'policy:evaluate'],
      })
      folder = await makeTemporaryFolder()
      program = programIn(page)
        .replaceAll('https://go.example.com', service.baseUrl)
        .replaceAll('lgp_…', made.token)
        .replaceAll(`'linkgate/client'`, `'${new URL('src/client/client.ts', PACKAGE_ROOT).pathname}'`)
      await writeFile(join(folder, 'examples.mts'), program)
    })
    after(() => service.stop())

    it('compile strictly', async () => {
      const compilerOptions = { allowImportingTsExtensions: true, typeRoots: [join(ROOT, 'node_modules/@types')] }
      await writeFile(
        join(folder, 'tsconfig.json'),
        JSON.stringify({ extends: join(ROOT, 'tsconfig.json'), compilerOptions, include: ['examples.mts'] }),
      )
      const answer: unknown = await run(join(ROOT, 'node_modules/.bin/tsc'), ['-p', folder]).catch(
        (error: unknown) => error,
      )
      expect(answer).to.have.property('stdout', '')
    })

    it('print what the page says', async () => {
      const printed = await run(process.execPath, ['--import', import.meta.resolve('tsx'), 'examples.mts'], {
        cwd: folder,
      })
      const said = [...program.matchAll(/ \/\/ → (.*)$/gm)].map(([, text]) => text)
      expect(said).to.not.have.length(0)
      expect(printed.stdout.trim().split('\n')).to.deep.equal(said)
    })
  })
})
