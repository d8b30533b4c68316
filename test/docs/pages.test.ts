import { existsSync } from 'node:fs'
import { readFile, readdir } from 'node:fs/promises'

import { expect } from 'chai'

import { PACKAGE_ROOT, SETTING_NAMES } from '../../src/config.js'

const FOLDERS = ['', 'docs/', 'docs/decisions/', 'policies/']

/** A heading's anchor, as GitHub makes it. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(/\s/g, '-')

describe('the documentation', () => {
  /** texts by their paths */
  const pages = new Map<string, string>()
  before(async () => {
    for (const folder of FOLDERS)
      for (const name of await readdir(new URL(folder, PACKAGE_ROOT)))
        if (name.endsWith('.md'))
          pages.set(`${folder}${name}`, await readFile(new URL(`${folder}${name}`, PACKAGE_ROOT), 'utf8'))
  })

  it('links to pages, headings and files that are there', async () => {
    const broken: string[] = []
    for (const [path, text] of pages) {
      for (const [, link = ''] of text.matchAll(/\]\((?!https?:)([^)\s]+)\)/g)) {
        const { pathname, hash } = new URL(link, new URL(path, 'file:///'))
        const target = pathname.slice(1)
        const headings = [...(pages.get(target) ?? '').matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => heading)
        const isThere = existsSync(new URL(target, PACKAGE_ROOT))
        if (!isThere || (hash !== '' && !headings.map(anchorOf).includes(hash.slice(1))))
          broken.push(`${path}: ${link}`)
      }
    }
    expect(broken).to.deep.equal([])
  })

  it('names files of this repository that are there', () => {
    const missing: string[] = []
    for (const [path, text] of pages)
      for (const [, file = ''] of text.matchAll(/`((?:src|test|migrations|deploy|bench|policies)\/[\w./-]+)`/g))
        if (!existsSync(new URL(file, PACKAGE_ROOT))) missing.push(`${path}: ${file}`)
    expect(missing).to.deep.equal([])
  })

  it('describes every setting, and none that the program does not know', () => {
    const described = ['docs/operations.md', 'docs/metrics.md', 'docs/signing-in.md'].flatMap((path) =>
      [...(pages.get(path) ?? '').matchAll(/^\| ((?:`[A-Z][A-Z0-9_]+`(?:, )?)+) \|/gm)].flatMap(
        ([, names = '']) => names.match(/[A-Z][A-Z0-9_]+/g) ?? [],
      ),
    )
    expect([...new Set(described)].toSorted()).to.deep.equal([...SETTING_NAMES].toSorted())
  })
})
