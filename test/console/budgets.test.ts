import { gzipSync } from 'node:zlib'

import { expect } from 'chai'

import { readBundle } from '../support/console-files.js'

const KIB = 1_024
const gzipped = (text: string | undefined): number => gzipSync(text ?? '', { level: 9 }).length

describe('the size of the console', () => {
  const { document, files } = readBundle()
  const named = [...document.matchAll(/\/console\/assets\/([\w-]+\.(?:js|css))/g)].map(([, name]) => name ?? '')
  const sizeOf = (names: readonly string[]) => names.reduce((sum, name) => sum + gzipped(files[name]), 0)
  const scripts = (names: readonly string[]) => names.filter((name) => name.endsWith('.js'))
  /** What a script needs besides itself. */
  const importsOf = (name: string): readonly string[] =>
    [...(files[name] ?? '').matchAll(/(?:from|import)\s*"\/console\/assets\/([\w-]+\.js)"/g)].map(
      ([, path]) => path ?? '',
    )
  const withImports = (name: string, known = new Set<string>()): ReadonlySet<string> => {
    if (known.has(name)) return known
    known.add(name)
    for (const each of importsOf(name)) withImports(each, known)
    return known
  }
  const first = new Set(scripts(named).flatMap((name) => [...withImports(name)]))
  /** A language is loaded with the first page, too. */
  const languages = Object.keys(files).filter((name) =>
    /Sign in to Linkgate|Bei Linkgate anmelden/.test(files[name] ?? ''),
  )

  it('is at most 60 kB of script at first, with the larger language', () => {
    const language = Math.max(...languages.map((name) => gzipped(files[name])))
    expect(languages).to.have.length(2)
    expect(sizeOf([...first]) + language).to.be.at.most(60 * KIB)
  })

  it('is at most 12 kB of style', () => {
    expect(sizeOf(named.filter((name) => name.endsWith('.css')))).to.be.at.most(12 * KIB)
  })

  it('is at most 40 kB more for any page', () => {
    for (const name of scripts(Object.keys(files))) {
      const more = [...withImports(name)].filter((each) => !first.has(each))
      expect(sizeOf(more), name).to.be.at.most(40 * KIB)
    }
  })
})
