import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, readFile, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

import { expect } from 'chai'

import { PACKAGE_ROOT } from '../../src/config.js'
import { textAt } from '../support/json.js'
import { startNode, type ServiceNode } from '../support/node.js'
import { copyRepository, installPacked, npm } from '../support/packed.js'
import { makeTemporaryFolder } from '../support/temporary-folder.js'
import { until } from '../support/until.js'

const run = promisify(execFile)
const COMPILER = fileURLToPath(new URL('node_modules/typescript/bin/tsc', PACKAGE_ROOT))

/** What a program of a user says to the service. */
const PROGRAM = `
import { LinkgateProblem, createClient } from 'linkgate/client'

declare const process: { readonly argv: readonly string[] }
const client = createClient({ baseUrl: process.argv[2] ?? '', token: process.argv[3] ?? '' })
const link = await client.createLink({ target: 'https://example.com/typed', code: 'typed' })
const code: string = link.code
// @ts-expect-error a code is no number
const number: number = link.code
const again: unknown = await client.createLink({ target: link.target, code }).catch((fault: unknown) => fault)
console.log(typeof number, again instanceof LinkgateProblem ? again.code : again)
`
const STRICT = {
  compilerOptions: {
    module: 'NodeNext',
    target: 'ES2023',
    lib: ['ES2023', 'DOM'],
    // an installation has none of koa, and a program for browsers wants none of Node
    types: [],
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    // the declarations of the package are checked as well, and all that they import
    skipLibCheck: false,
  },
  files: ['program.ts'],
}

describe('the package that npm publishes, installed into an empty folder', function () {
  this.timeout(600_000)
  let folder: string
  let installed: string
  let node: ServiceNode | undefined

  before(async function () {
    const place = await makeTemporaryFolder()
    const copy = join(place, 'repository')
    await copyRepository(copy)
    // left by an earlier build: packing starts without it
    await mkdir(join(copy, 'dist'))
    await writeFile(join(copy, 'dist/stale.js'), '')
    await npm(copy, 'pack', '--pack-destination', place)
    const tarball = (await readdir(place)).find((name) => name.endsWith('.tgz'))
    folder = join(place, 'empty')
    installed = join(folder, 'node_modules/linkgate')
    await mkdir(folder)
    if (!(await installPacked(folder, join(place, tarball ?? '')))) {
      process.stderr.write('      pending: npm has not every package in its cache, and its registry does not answer\n')
      this.skip()
    }
  })
  after(() => node?.stop())

  const token = async ({ baseUrl, output }: ServiceNode, dataDir: string): Promise<string> => {
    // printed once there is an admin
    await until('it says how to sign in', () => output().includes('Linkgate listens on'))
    const password = await readFile(join(dataDir, 'first-admin-password'), 'utf8')
    const body = new URLSearchParams({ grant_type: 'password', username: 'admin@localhost', password })
    const answer = await fetch(`${baseUrl}/auth/token`, { method: 'POST', body })
    return textAt(await answer.json(), 'access_token')
  }

  it('holds the program, its policy, its migrations, its model and its types, and nothing else', async () => {
    expect((await readdir(installed)).toSorted()).to.deep.equal(
      ['LICENSE', 'README.md', 'bin', 'dist', 'migrations', 'model.conf', 'package.json', 'policies'].toSorted(),
    )
    const files = await readdir(join(installed, 'dist'), { recursive: true })
    expect(files).to.include('main.js').and.not.include('stale.js')
    expect(files.filter((file) => /(?<!\.d)\.ts$|\.map$|\.tsbuildinfo$|\.test\./.test(file))).to.deep.equal([])
  })

  it('lets programs import the client, and none of its inside', async () => {
    const ask = `
      for (const name of ['linkgate/package.json', 'linkgate/client', 'linkgate', 'linkgate/dist/main.js'])
        try {
          console.log(name, import.meta.resolve(name).startsWith('file:'))
        } catch (fault) {
          console.log(name, fault.code)
        }`
    const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', ask], { cwd: folder })
    expect(stdout.trim().split('\n')).to.deep.equal([
      'linkgate/package.json true',
      'linkgate/client true',
      'linkgate ERR_PACKAGE_PATH_NOT_EXPORTED',
      'linkgate/dist/main.js ERR_PACKAGE_PATH_NOT_EXPORTED',
    ])
  })

  it('is a command of npx, which says what it can do', async () => {
    const { stdout } = await run('npx', ['linkgate', '--help'], { cwd: folder })
    for (const command of ['serve', 'migrate', 'policy', 'audit', 'import'])
      expect(stdout).to.include(`\n  ${command} `)
  })

  it('serves from its own database: whoever signs in makes a link, and anybody follows it', async () => {
    const dataDir = join(folder, 'data')
    node = await startNode({ DATA_DIR: dataDir }, join(folder, 'node_modules/.bin/linkgate'))
    expect((await fetch(`${node.baseUrl}/healthz`)).status).to.equal(200)
    const made = await fetch(`${node.baseUrl}/links`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${await token(node, dataDir)}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ target: 'https://example.com/packed', code: 'packed' }),
    })
    expect(made.status).to.equal(201)
    const followed = await fetch(`${node.baseUrl}/packed`, { redirect: 'manual' })
    expect(followed.headers.get('location')).to.equal('https://example.com/packed')
  })

  it('brings a client that compiles strictly, with its declarations, and calls the service', async function () {
    if (node === undefined || !existsSync(join(installed, 'dist/client/client.js'))) return this.skip()
    expect(await readdir(join(folder, 'node_modules/@types'))).to.not.include('koa')
    await writeFile(join(folder, 'program.ts'), PROGRAM)
    await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(STRICT))
    await run(process.execPath, [COMPILER, '-p', '.'], { cwd: folder }).catch((fault: { readonly stdout?: string }) => {
      throw new Error(`it does not compile: ${fault.stdout}`)
    })
    const given = [node.baseUrl, await token(node, join(folder, 'data'))]
    const { stdout } = await run(process.execPath, ['program.js', ...given], { cwd: folder })
    expect(stdout.trim()).to.equal('string code_taken')
  })
})
