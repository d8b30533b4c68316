import { readFile } from 'node:fs/promises'

import { expect } from 'chai'

import { PACKAGE_ROOT } from '../../src/config.js'

const read = (path: string): Promise<string> => readFile(new URL(path, PACKAGE_ROOT), 'utf8')

/** How the page says that no test holds a line. */
const NOT_HELD = /\*\*not met\*\*|not applicable/i

// OWASP ASVS 5.0.0
const ASVS = `
4.1.1 4.1.2 4.1.3 4.1.4 4.1.5 4.2.1 4.2.2 4.2.3 4.2.4 4.2.5 4.3.1 4.3.2 4.4.1 4.4.2 4.4.3 4.4.4
8.1.1 8.1.2 8.1.3 8.1.4 8.2.1 8.2.2 8.2.3 8.2.4 8.3.1 8.3.2 8.3.3 8.4.1 8.4.2
9.1.1 9.1.2 9.1.3 9.2.1 9.2.2 9.2.3 9.2.4
16.1.1 16.2.1 16.2.2 16.2.3 16.2.4 16.2.5 16.3.1 16.3.2 16.3.3 16.3.4 16.4.1 16.4.2 16.4.3 16.5.1 16.5.2 16.5.3 16.5.4`
  .trim()
  .split(/\s+/)

/**
 * The titles of a test file, in whatever quotes. What a test expects, or a comment, may say the same and is left out.
 */
const titlesIn = (source: string): readonly string[] =>
  [...source.matchAll(/\b(?:it|describe)\(\s*(['"`])((?:\\.|(?!\1).)*)\1/gs)].map(([, , title = '']) =>
    title.replaceAll(/\\(['"`])/g, '$1'),
  )

describe('docs/security.md', () => {
  let page: string
  before(async () => {
    page = await read('docs/security.md')
  })

  /** Rows of the tables that say what holds each line. */
  const rows = (): readonly string[] =>
    page
      .split(/\n\n/)
      .filter((block) => /^\|.*\| held by \|/.test(block))
      .flatMap((block) => block.split('\n').slice(2))
      .filter((line) => line.startsWith('|'))

  it('names in every line the test that holds it, or says that nothing does', () => {
    expect(rows()).not.to.have.length(0)
    for (const row of rows()) expect(/`test\/[^`]+\.test\.ts`/.test(row) || NOT_HELD.test(row), row).to.equal(true)
  })

  it('names tests that are there, by file and by title', async () => {
    const missing: string[] = []
    for (const [, file = '', quoted = ''] of page.matchAll(/`(test\/[^`]+\.test\.ts)`((?:,? ?“[^”]+”)*)/g)) {
      const titles = titlesIn(await read(file))
      for (const [, part = ''] of quoted.matchAll(/“([^”]+)”/g))
        if (!titles.some((title) => title.includes(part))) missing.push(`${file} “${part}”`)
    }
    expect(missing).to.deep.equal([])
  })

  it('finds titles in single quotes, double quotes and backticks', () => {
    const source = `
      describe('one', () => {
        it("another's", () => {})
        it(\`\${each}: a third\`, async () => {})
        it('it\\'s a fourth', () => expect('a fifth'))
      })`
    expect(titlesIn(source)).to.deep.equal(['one', "another's", '${each}: a third', "it's a fourth"])
  })

  it('answers each of the ten risks, and each requirement of the four chapters', () => {
    const first = rows().map((row) => row.split('|')[1]?.trim() ?? '')
    expect(first.flatMap((cell) => /^API\d+/.exec(cell) ?? [])).to.deep.equal(
      Array.from({ length: 10 }, (_, i) => `API${i + 1}`),
    )
    expect(first.flatMap((cell) => cell.match(/\b\d+\.\d+\.\d+\b/g) ?? [])).to.deep.equal(ASVS)
  })
})
