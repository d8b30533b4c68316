import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

import { z } from 'zod'

import { billOfMaterials } from './bill-of-materials.js'
import { faultOf, released } from './changelog.js'
import { mayFollow } from './version.js'

// `npm run release -- VERSION`: all of a release that can be taken back (docs/releasing.md). Nothing is committed,
// tagged or sent. Everything is checked before the first file changes.

const ROOT = new URL('../', import.meta.url)
const MANIFESTS = 'deploy/kubernetes/'

const run = (program: string, ...args: readonly string[]): string =>
  execFileSync(program, args, {
    cwd: fileURLToPath(ROOT),
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
    maxBuffer: 64 * 1024 * 1024,
  })
const read = (path: string): string => readFileSync(new URL(path, ROOT), 'utf8')
const write = (path: string, text: string): void => writeFileSync(new URL(path, ROOT), text)
const stop = (why: string): never => {
  process.stderr.write(`release: ${why}\n`)
  process.exit(1)
}

const Package = z.looseObject({ name: z.string(), version: z.string() })
/** Members of package.json that say where the project lives. */
const PLACES = ['repository', 'homepage', 'bugs']

const [version = '', ...more] = process.argv.slice(2)
const manifest = Package.parse(JSON.parse(read('package.json')))
const { name, version: current } = manifest
if (version === '' || more.length > 0) stop('npm run release -- VERSION')
if (!mayFollow(version, current)) stop(`"${version}" is no version such as 1.2.3 that may follow ${current}`)
const fault = faultOf(read('CHANGELOG.md'), version)
if (fault !== undefined) stop(`CHANGELOG.md: ${fault}`)
if (run('git', 'status', '--porcelain') !== '') stop('the working tree has changes: commit them, or put them away')
if (run('git', 'tag', '--list', `v${version}`) !== '') stop(`there is a tag v${version} already`)

write('CHANGELOG.md', released(read('CHANGELOG.md'), version, new Date()))
run('npm', 'version', '--silent', version, '--no-git-tag-version', '--allow-same-version')
// the image is named after the version
for (const file of readdirSync(new URL(MANIFESTS, ROOT)))
  write(MANIFESTS + file, read(MANIFESTS + file).replaceAll(`linkgate:${current}`, `linkgate:${version}`))

const folder = `release/${version}/`
rmSync(new URL(folder, ROOT), { recursive: true, force: true })
mkdirSync(new URL(folder, ROOT))
run('npm', 'pack', '--silent', '--pack-destination', folder)
const [tarball, bill] = [`${name}-${version}.tgz`, `${name}-${version}.cdx.json`]
write(folder + bill, billOfMaterials(read('package.json'), read('package-lock.json')))
const sums = [tarball, bill].map((file) => {
  const sum = createHash('sha256').update(readFileSync(new URL(folder + file, ROOT)))
  return `${sum.digest('hex')}  ${file}\n`
})
write(`${folder}SHA256SUMS`, sums.join(''))

process.stdout.write(`
${folder} holds ${tarball}, ${bill} and SHA256SUMS. "git restore ." takes it back. What is left:

  npm run check && npm run test:faults
  git commit --all --message "Release ${version}"
  git tag --sign v${version} --message "${version}"
  git push origin HEAD v${version}
  npm publish --provenance               # in CI, from the tag; it must give ${tarball} the same checksum

`)
const missing = PLACES.filter((place) => !(place in manifest))
if (missing.length > 0)
  process.stdout.write(
    `package.json lacks ${missing.join(', ')}: npm refuses --provenance without repository (docs/releasing.md).\n\n`,
  )
