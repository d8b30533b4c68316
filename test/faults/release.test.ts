import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFile, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

import { expect } from 'chai'
import { z } from 'zod'

import { VERSION } from '../../src/version.js'
import { copyRepository } from '../support/packed.js'
import { makeTemporaryFolder } from '../support/temporary-folder.js'

const run = promisify(execFile)
const Bill = z.looseObject({
  bomFormat: z.literal('CycloneDX'),
  metadata: z.looseObject({ component: z.looseObject({ name: z.string(), version: z.string() }) }),
  components: z.array(z.looseObject({ name: z.string(), version: z.string() })),
})
const Lock = z.looseObject({
  packages: z.record(z.string(), z.looseObject({ version: z.string(), dev: z.boolean().optional() })),
})
const NEXT = `${Number(VERSION.split('.')[0]) + 1}.0.0`

describe('npm run release', function () {
  this.timeout(600_000)
  let copy: string

  const git = async (...args: readonly string[]): Promise<string> =>
    (await run('git', ['-c', 'user.name=Test', '-c', 'user.email=test@example.com', ...args], { cwd: copy })).stdout
  const release = (...args: readonly string[]) =>
    run('npm', ['run', '--silent', 'release', '--', ...args], { cwd: copy })
  const refusal = async (...args: readonly string[]): Promise<string> =>
    release(...args).then(
      () => 'it was made',
      ({ stderr }: { readonly stderr: string }) => /^release: (.*)$/m.exec(stderr)?.[1] ?? stderr,
    )
  const read = (path: string): Promise<string> => readFile(join(copy, path), 'utf8')

  before(async () => {
    copy = join(await makeTemporaryFolder(), 'repository')
    await copyRepository(copy)
    // a link is not what the pattern node_modules/ ignores
    await writeFile(join(copy, '.gitignore'), `${await read('.gitignore')}node_modules\n`)
    const entry = '## Unreleased\n\n### Added\n\n- Something.\n'
    await writeFile(join(copy, 'CHANGELOG.md'), (await read('CHANGELOG.md')).replace('## Unreleased\n', entry))
    await git('init', '--quiet')
    await git('add', '--all')
    await git('commit', '--quiet', '--message', 'all')
  })

  it('refuses what is no newer version, a tree with changes and a tag that is there, and changes nothing', async () => {
    expect(await refusal()).to.equal('npm run release -- VERSION')
    expect(await refusal('0.0.1')).to.equal(`"0.0.1" is no version such as 1.2.3 that may follow ${VERSION}`)
    await git('tag', `v${NEXT}`)
    expect(await refusal(NEXT)).to.equal(`there is a tag v${NEXT} already`)
    await git('tag', '--delete', `v${NEXT}`)
    expect(await git('status', '--porcelain')).to.equal('')
    await writeFile(join(copy, 'left.txt'), '')
    expect(await refusal(NEXT)).to.equal('the working tree has changes: commit them, or put them away')
    await run('rm', [join(copy, 'left.txt')])
  })

  it('sets the version everywhere, packs, and adds a bill of materials and checksums', async () => {
    const { stdout } = await release(NEXT)
    expect((await git('status', '--porcelain')).trim().split(/\s*\n\s*/)).to.deep.equal([
      'M CHANGELOG.md',
      'M deploy/kubernetes/deployment.yaml',
      'M deploy/kubernetes/migration-job.yaml',
      'M package-lock.json',
      'M package.json',
    ])
    const day = new Date().toISOString().slice(0, 7)
    expect(await read('CHANGELOG.md')).to.match(
      new RegExp(`## Unreleased\n\n## ${NEXT} - ${day}-\\d\\d\n\n### Added\n`),
    )
    for (const file of ['package.json', 'package-lock.json'])
      expect(JSON.parse(await read(file))).to.have.property('version', NEXT)
    expect(await read('deploy/kubernetes/deployment.yaml'))
      .to.include(`linkgate:${NEXT}`)
      .and.not.include(VERSION)

    const folder = `release/${NEXT}`
    const [bill, tarball] = [`linkgate-${NEXT}.cdx.json`, `linkgate-${NEXT}.tgz`]
    expect((await readdir(join(copy, folder))).toSorted()).to.deep.equal(['SHA256SUMS', bill, tarball])
    const sums = (await read(`${folder}/SHA256SUMS`)).trim().split('\n')
    expect(sums).to.have.length(2)
    for (const line of sums) {
      const [sum, file = ''] = line.split('  ')
      const content = await readFile(join(copy, folder, file))
      expect(createHash('sha256').update(content).digest('hex'), file).to.equal(sum)
    }
    const { metadata, components } = Bill.parse(JSON.parse(await read(`${folder}/${bill}`)))
    expect(metadata.component).to.include({ name: 'linkgate', version: NEXT })
    // exactly the production packages of the lock file
    const locked = Lock.parse(JSON.parse(await read('package-lock.json'))).packages
    const production = Object.entries(locked).filter(([path, { dev }]) => path !== '' && dev !== true)
    expect(components.map(({ name, version }) => `${name}@${version}`)).to.have.members(
      production.map(([path, { version }]) => `${path.slice(path.lastIndexOf('node_modules/') + 13)}@${version}`),
    )

    const manifest: object = JSON.parse(await read('package.json'))
    const lacking = ['repository', 'homepage', 'bugs'].filter((place) => !(place in manifest))
    if (lacking.length > 0) expect(stdout).to.include(`package.json lacks ${lacking.join(', ')}: `)
    else expect(stdout).to.not.include('lacks')
    for (const command of [`git tag --sign v${NEXT} `, 'npm publish --provenance', 'npm run check'])
      expect(stdout).to.include(`\n  ${command}`)
    expect(await git('tag', '--list')).to.equal('')
  })

  it('makes the same tarball again from the same sources', async () => {
    const path = join(copy, `release/${NEXT}/linkgate-${NEXT}.tgz`)
    const first = await readFile(path)
    await git('restore', '.')
    await release(NEXT)
    expect(first.equals(await readFile(path))).to.equal(true)
  })
})
