import { execFile } from 'node:child_process'
import { chmod, cp, lstat, mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'chai'
import type { Home } from '../../src/embedded-postgres/home.js'
import { preparePrograms, requirePlatformPackage, type PlatformPackage } from '../../src/embedded-postgres/programs.js'
import { requireServerUser } from '../../src/embedded-postgres/server-user.js'
import { makeTemporaryFolder } from '../support/temporary-folder.js'

describe('the programs of the embedded PostgreSQL', () => {
  let folder: string
  let unlinked: PlatformPackage
  let home: Home

  const versionOf = async (program: string): Promise<string> => {
    const { uid, gid } = home.user ?? {}
    const options = home.user ? { uid, gid, cwd: '/' } : {}
    return (await promisify(execFile)(program, ['--version'], options)).stdout
  }

  before(async () => {
    folder = await makeTemporaryFolder()
    const installed = requirePlatformPackage()
    // as `npm ci --ignore-scripts` leaves it: without the links
    unlinked = { folder: join(folder, 'package'), version: installed.version }
    await cp(installed.folder, unlinked.folder, {
      recursive: true,
      verbatimSymlinks: true,
      filter: async (file) => !(await lstat(file)).isSymbolicLink(),
    })
    const user = await requireServerUser()
    home = { folder: join(folder, 'home'), cluster: join(folder, 'home', 'postgres'), clusterExists: false, user }
    await mkdir(home.folder)
  })

  after(async () => {
    // a read-only folder cannot be emptied by its own user
    await promisify(execFile)('chmod', ['-R', 'u+rwX', folder])
    await rm(folder, { recursive: true, force: true })
  })

  it('come from a package that cannot be written, or not be entered by the server, by way of a copy', async () => {
    await (home.user ? chmod(unlinked.folder, 0o700) : chmod(join(unlinked.folder, 'native', 'lib'), 0o555))
    const programs = await preparePrograms(home, unlinked)
    expect(programs.folder).to.equal(join(home.folder, `runtime-${unlinked.version}`, 'native', 'bin'))
    for (const name of ['postgres', 'initdb', 'pg_ctl'])
      expect(await versionOf(join(programs.folder, name))).to.match(/\(PostgreSQL\) 18\./)
    expect(await preparePrograms(home, unlinked), 'the copy that is there').to.deep.equal(programs)
    await (home.user ? chmod(unlinked.folder, 0o755) : chmod(join(unlinked.folder, 'native', 'lib'), 0o755))
  })

  it('get the links that the installation did not make', async () => {
    // the copy of the test before works too, but a package that can be mended needs none
    const { folder: bin } = await preparePrograms(home, unlinked)
    expect(bin).to.equal(join(unlinked.folder, 'native', 'bin'))
    expect(await versionOf(join(bin, 'initdb'))).to.match(/\(PostgreSQL\) 18\./)
  })
})
