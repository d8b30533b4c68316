import { readFile, readdir } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'

import { expect } from 'chai'

type OfCount = (...counts: readonly number[]) => string

/** Those texts of a language that this looks at. */
interface Texts {
  readonly links: { readonly leftOut: Refused; readonly refused: Refused }
  readonly imports: { readonly checked: OfCount; readonly stopped: OfCount; readonly done: OfCount }
  readonly propose: { readonly byRule: OfCount; readonly holds: OfCount }
  readonly proof: { readonly retired: OfCount }
  readonly badges: { readonly used: OfCount }
}
type Refused = (count: number, why: string) => string

const LANGUAGES = new URL('../../src/console/language/', import.meta.url)

/** The languages belong to the console, whose files the tests know no types of. */
const textsOf = async (name: string): Promise<Texts> => {
  const loaded: Readonly<Record<string, Texts>> = await import(new URL(`${name}.ts`, LANGUAGES).href)
  return loaded[name] ?? expect.fail(`no ${name}`)
}

describe('the words of the console', () => {
  it('have one thing in the singular, in German', async () => {
    const { links, imports, propose, proof, badges } = await textsOf('de')
    expect(links.leftOut(1, 'R5')).to.equal('1 Link bleibt außen vor: R5')
    expect(links.leftOut(2, 'R5')).to.equal('2 Links bleiben außen vor: R5')
    expect(links.refused(1, 'R5')).to.equal('1 Link konnte nicht geändert werden: R5')
    expect(links.refused(2, 'R5')).to.equal('2 Links konnten nicht geändert werden: R5')
    expect(imports.checked(1, 1, 1)).to.equal('1 Link lässt sich anlegen. 1 ist schon da. 1 geht nicht.')
    expect(imports.checked(2, 0, 2)).to.equal('2 Links lassen sich anlegen. 2 gehen nicht.')
    expect(imports.stopped(1)).to.equal('Angehalten: 1 Link ist noch übrig.')
    expect(imports.done(1, 0, 1)).to.equal('1 Link angelegt. 1 ging nicht.')
    expect(propose.byRule(1)).to.contain('1 Entscheidung mehr bekäme ')
    expect(propose.holds(2, 1)).to.equal('Jede Invariante hält, 1 von 2 Fragen wird wie erwartet beantwortet.')
    expect(proof.retired(1, 1)).to.contain('1 Eintrag aus 1 Monat wurde entfernt')
    expect(badges.used(0, 1)).to.equal('0 von 1 Aufruf')
  })

  it('have one thing in the singular, in English', async () => {
    const { imports, propose, proof, badges } = await textsOf('en')
    expect(imports.stopped(1)).to.equal('Stopped: 1 link is left.')
    expect(imports.stopped(2)).to.equal('Stopped: 2 links are left.')
    expect(propose.holds(2, 1)).to.equal('Every invariant holds, 1 of 2 questions is answered as expected.')
    expect(proof.retired(1, 1)).to.equal('1 entry of 1 month was dropped, as signed statements say.')
    expect(badges.used(0, 1)).to.equal('0 of 1 visit')
  })

  it('have one German word for a revision', async () => {
    const folder = fileURLToPath(new URL('de/', LANGUAGES))
    for (const name of await readdir(folder)) {
      const text = await readFile(`${folder}${name}`, 'utf8')
      expect(text.match(/\bRevision(en)?\b/g), name).to.equal(null)
    }
  })
})
