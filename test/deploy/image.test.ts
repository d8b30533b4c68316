import { execFile } from 'node:child_process'
import { cp, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

import { expect } from 'chai'
import { z } from 'zod'

import { PACKAGE_ROOT } from '../../src/config.js'
import { testDatabase } from '../support/database.js'
import { AS_LAID_OUT, linkPackages } from '../support/linked-packages.js'
import { onDatabase, startNode, type ServiceNode } from '../support/node.js'
import { makeTemporaryFolder } from '../support/temporary-folder.js'

const run = promisify(execFile)
const Command = z.tuple([z.literal('node')], z.string())

const inPackage = (path: string) => fileURLToPath(new URL(path, PACKAGE_ROOT))

describe('the image, laid out as the Dockerfile says, without an engine', () => {
  let last: string
  let folder: string
  let node: ServiceNode | undefined

  before(async () => {
    const text = await readFile(inPackage('Dockerfile'), 'utf8')
    last = text.slice(text.lastIndexOf('\nFROM '))
    folder = await makeTemporaryFolder()
    const copied = [...last.matchAll(/^COPY --from=build \/build\/(\S+) (\S+)$/gm)]
    expect(copied).to.have.length((last.match(/^COPY /gm) ?? []).length)
    const removed = [...text.matchAll(/rm -rf node_modules\/(\S+)/g)].map(([, path = '']) => path)
    for (const [, from = '', to = ''] of copied) {
      if (from === 'node_modules')
        await linkPackages(join(folder, to), (name) => removed.some((scope) => name.startsWith(`${scope}/`)))
      else await cp(inPackage(from), join(folder, to, to === './' ? from : ''), { recursive: true })
    }
  })
  after(() => node?.stop())

  const commandOf = (instruction: RegExp) => Command.parse(JSON.parse(instruction.exec(last)?.[1] ?? ''))

  it('serves with what is copied and no package of development, is found healthy, and ends well', async () => {
    const [, program = '', serve] = commandOf(/^CMD (\[.*\])$/m)
    expect(serve).to.equal('serve')
    const { service, owner } = await testDatabase()
    node = await startNode({ ...onDatabase(service, owner), ...AS_LAID_OUT }, join(folder, program))
    expect((await fetch(`${node.baseUrl}/readyz`)).status).to.equal(200)

    const [, ...check] = commandOf(/^HEALTHCHECK .*\\\n\s+CMD (\[.*\])$/m)
    await run(process.execPath, check, { env: { PORT: new URL(node.baseUrl).port } })
    expect(await node.stop()).to.equal(0)
    const [unhealthy] = await Promise.allSettled([
      run(process.execPath, check, { env: { PORT: new URL(node.baseUrl).port } }),
    ])
    expect(unhealthy?.status, 'the check itself').to.equal('rejected')
  })

  it('says in one line what it needs where no database is set', async () => {
    const refused = await run(process.execPath, [join(folder, 'bin/linkgate.js'), 'serve'], {
      env: { ...AS_LAID_OUT, DATA_DIR: join(folder, 'data'), PORT: '0' },
    }).then(
      () => {
        throw new Error('it served')
      },
      (error: unknown) => z.looseObject({ code: z.number(), stderr: z.string() }).parse(error),
    )
    expect(refused.code).not.to.equal(0)
    expect(refused.stderr.trim().split('\n')).to.have.length(1)
    expect(refused.stderr).to.include('DATABASE_URL')
  })
})
