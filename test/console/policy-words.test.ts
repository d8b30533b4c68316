import { expect } from 'chai'
import * as fc from 'fast-check'

import { rowWords as german } from '../../src/console/language/de/policy-rows.js'
import { rowWords as english } from '../../src/console/language/en/policy-rows.js'
import { csvRows, policyRow } from '../support/policy.js'

const wordsOf = (words: typeof english, text: string, isRest = false): string => {
  const [row] = csvRows(text)
  if (row === undefined) throw new Error(`${text} is no row`)
  return words(row, isRest)
}

describe('a row of the policy in words', () => {
  it('is a sentence about who may do what to whose records', () => {
    const inEnglish: readonly (readonly [string, string])[] = [
      ['p, 100, R1, anyone, link:read, any, allow', 'Everybody may read any link'],
      ['p, 200, R2, anonymous, *, any, deny', 'Whoever is not signed in may do nothing else'],
      ['p, 300, R3, admin, *, any, allow', 'Admins may do everything'],
      ['p, 400, R4, user, link:create, any, allow', 'Everybody who is signed in may create links'],
      ['p, 530, R5, user, link:delete, own, allow', 'Everybody who is signed in may delete their own links'],
      ['p, 525, FREEZE, editor, link:delete, any, deny', 'Editors may not delete any link'],
      ['p, 999999, R6, anyone, *, any, deny', 'Everything else is denied'],
      ['p, 5, X, clerk, doc:sign, own, allow', 'Everybody with the role clerk may do doc:sign to what is theirs'],
      ['p2, editor, link:update', 'Editors may ask to change a link'],
      ['p2, admin, *', 'Admins may ask for anything'],
      ['g, editor, user', 'Editors have every row of user'],
      ['g, clerk, user', 'Everybody with the role clerk has every row of user'],
      // "not every user" would be some of them
      ['p, 6, X, editor, user:read, any, deny', 'Editors may not see any user'],
      ['p, 6, X, editor, *, own, deny', 'Editors may do nothing to what is theirs'],
    ]
    for (const [row, words] of inEnglish) expect(wordsOf(english, row)).to.equal(words)
    expect(wordsOf(german, 'p, 530, R5, user, link:delete, own, allow')).to.equal(
      'Jeder, der angemeldet ist, darf eigene Links löschen',
    )
    expect(wordsOf(german, 'p, 999999, R6, anyone, *, any, deny')).to.equal('Alles andere ist verboten')
    const inGerman: readonly (readonly [string, string])[] = [
      ['link:update, any', 'keinen Link ändern'],
      ['link:update, own', 'eigene Links nicht ändern'],
      ['link:create, any', 'keine Links anlegen'],
      ['profile:update, any', 'kein Profil ändern'],
      ['policy:read, any', 'die Regeln nicht lesen'],
      ['policy:evaluate, any', 'nicht fragen, was die Regeln antworten'],
      ['doc:sign, any', 'doc:sign mit nichts tun'],
      ['doc:sign, own', 'doc:sign mit Eigenem nicht tun'],
      ['*, own', 'mit Eigenem nichts tun'],
    ]
    for (const [what, words] of inGerman)
      expect(wordsOf(german, `p, 320, X, auditor, ${what}, deny`)).to.equal(`Wer auditor ist, darf ${words}`)
  })

  it('speaks of what is not theirs where another row says what becomes of what is', () => {
    const row = 'p, 540, R5, user, link:delete, any, deny'
    expect(wordsOf(english, row, true)).to.equal('Everybody who is signed in may not delete what is not theirs')
    expect(wordsOf(german, row, true)).to.equal('Jeder, der angemeldet ist, darf nicht löschen, was anderen gehört')
    const everything = 'p, 540, X, editor, *, any, allow'
    expect(wordsOf(english, everything, true)).to.equal('Editors may do everything to what is not theirs')
    expect(wordsOf(german, everything, true)).to.equal('Wer editor ist, darf alles mit dem tun, was anderen gehört')
  })

  it('is never empty, and says allow and deny in different words', () => {
    fc.assert(
      fc.property(policyRow, fc.boolean(), (row, isRest) => {
        for (const words of [english, german]) {
          expect(words(row, isRest)).to.match(/^\S.*\S$/u)
          if (row.ptype !== 'p') continue
          const turned = { ...row, effect: row.effect === 'allow' ? 'deny' : 'allow' } as const
          expect(words(turned, isRest)).to.not.equal(words(row, isRest))
        }
      }),
    )
  })
})
