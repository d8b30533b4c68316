import { execFile } from 'node:child_process'
import { chmod, cp, lstat, mkdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'chai'
import type { Home } from '../../src/database/embedded/home.js'
import {
  makeLinks,
  prepareRuntime,
  readLinks,
  requirePlatformPackage,
  type PlatformPackage,
} from '../../src/database/embedded/runtime.js'
import { isRoot, requireServerUser, runAs } from '../../src/database/embedded/server-user.js'
import { makeTemporaryFolder } from '../support/temporary-folder.js'

describe('the programs of the embedded PostgreSQL', () => {
  let folder: string
  let unlinked: PlatformPackage
  let home: Home

  const versionOf = async (program: string): Promise<string> => (await runAs(home.user, program, ['--version'])).output

  before(async () => {
    folder = await makeTemporaryFolder()
    const installed = await requirePlatformPackage()
    // as `npm ci --ignore-scripts` leaves it: without the links
    unlinked = { folder: join(folder, 'package'), version: installed.version }
    await cp(installed.folder, unlinked.folder, {
      recursive: true,
      verbatimSymlinks: true,
      filter: async (file) => !(await lstat(file)).isSymbolicLink(),
    })
    const user = isRoot() ? await requireServerUser() : undefined
    home = { folder: join(folder, 'home'), cluster: join(folder, 'home', 'postgres'), clusterExists: false, user }
    await mkdir(home.folder)
  })

  after(async () => {
    // a read-only folder cannot be emptied by its own user
    await promisify(execFile)('chmod', ['-R', 'u+rwX', folder])
    await rm(folder, { recursive: true, force: true })
  })

  it('come from a package that cannot be written, or not be entered by the server, by way of a copy', async () => {
    await (isRoot() ? chmod(unlinked.folder, 0o700) : chmod(join(unlinked.folder, 'native', 'lib'), 0o555))
    const runtime = await prepareRuntime(home, unlinked)
    expect(runtime.postgres).to.equal(join(home.folder, `runtime-${unlinked.version}`, 'native', 'bin', 'postgres'))
    expect(await versionOf(runtime.postgres)).to.match(/^postgres \(PostgreSQL\) 18\./)
    expect(await versionOf(runtime.initdb)).to.match(/^initdb \(PostgreSQL\) 18\./)
    expect(await prepareRuntime(home, unlinked), 'the copy that is there').to.deep.equal(runtime)
    await (isRoot() ? chmod(unlinked.folder, 0o755) : chmod(join(unlinked.folder, 'native', 'lib'), 0o755))
  })

  it('get the links that the installation did not make', async () => {
    expect(await makeLinks(unlinked.folder)).to.equal(true)
    const links = await readLinks(unlinked.folder)
    expect(links).not.to.have.length(0)
    const found = await Promise.all(links.map(({ target }) => stat(join(unlinked.folder, target))))
    expect(found.every((file) => file.isFile())).to.equal(true)
    expect(await makeLinks(unlinked.folder), 'a second time').to.equal(true)
    const runtime = await prepareRuntime(home, unlinked)
    expect(runtime.postgres).to.equal(join(unlinked.folder, 'native', 'bin', 'postgres'))
  })
})
