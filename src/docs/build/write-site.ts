import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { posix } from 'node:path'

import { PACKAGE_ROOT } from '../../config.js'
import { BuiltSite, SITE_FILE } from '../page-file.js'
import { renderMarkdown, renderPlain, type ResolveLink } from './markdown.js'
import { findSources } from './sources.js'

const read = (file: string) => readFile(new URL(file, PACKAGE_ROOT), 'utf8')

/** Maps links between files of the repository to pages of the site. */
const resolverFor = (names: ReadonlyMap<string, string>): ResolveLink => {
  return (href, from) => {
    if (/^https?:/.test(href) || href.startsWith('#')) return href
    const [path = '', hash] = href.split('#')
    const name = names.get(posix.join(posix.dirname(from), path))
    return name === undefined ? null : `/docs/${name}${hash === undefined ? '' : `#${hash}`}`
  }
}

// The last step of `npm run build`: builds the pages of the site, and puts them into one file with their scripts.
const { markdown, plain, pictures } = await findSources(PACKAGE_ROOT)
const resolve = resolverFor(
  new Map([
    ...[...markdown, ...plain, ...pictures].map(({ name, file }) => [file, name] as const),
    ['docs/decisions/', 'decisions'],
  ]),
)
const script = (name: string) => read(`dist/docs/browser/${name}.js`)
const site = BuiltSite.parse({
  pages: await Promise.all([
    ...markdown.map(async (source) => renderMarkdown(source, await read(source.file), resolve)),
    ...plain.map(async (source) => renderPlain(source, await read(source.file))),
  ]),
  pictures: Object.fromEntries(await Promise.all(pictures.map(async ({ name, file }) => [name, await read(file)]))),
  scripts: { copy: await script('copy'), search: await script('search'), send: await script('send') },
})
const target = new URL(SITE_FILE, PACKAGE_ROOT)
await mkdir(new URL('.', target), { recursive: true })
// written aside and renamed, so that a starting service never reads a partial file
const draft = new URL(`${SITE_FILE}.${process.pid}`, PACKAGE_ROOT)
await writeFile(draft, JSON.stringify(site))
await rename(draft, target)
