import { readFile, readdir } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'

import { expect } from 'chai'
import { z } from 'zod'

import { explainRecord } from '../../src/audit/record-explanation.js'
import { REFUSED_BY_ROUTE } from '../../src/audit/refused-by-route.js'
import { readCheckpoint } from '../../src/audit/checkpoint.js'
import { signStatement } from '../../src/audit/signed-statement.js'
import { PACKAGE_ROOT } from '../../src/config.js'
import { START, type Tail } from '../../src/console/pages/decisions/tail.js'
import { readFile as readImport } from '../../src/console/pages/import/read-file.js'
import { rowsOf } from '../../src/console/pages/import/rows.js'
import { FORMATS } from '../../src/import/formats.js'
import { toId } from '../../src/domain/id.js'
import type { DecidingLayer } from '../../src/domain/log-filter.js'
import { REFUSALS, Refusal, type RefusalCode } from '../../src/domain/refusal.js'
import type { User } from '../../src/domain/user.js'
import { noHeir } from '../../src/identity/heir.js'
import { loadOrMakeSigningKey } from '../../src/identity/signing-key.js'
import { faultMessage } from '../../src/input/fault-message.js'
import { tooManyLinks } from '../../src/layers/4-data/user-deletion.js'
import { editedRows, planEdit, type EditMaker } from '../../src/policy/edit.js'
import { parseEditedRow } from '../../src/policy/parse-row.js'
import { planProposal, requireProposer, type Proposal } from '../../src/policy/proposals.js'
import { buildSnapshot } from '../../src/policy/snapshot.js'
import { linkFields } from '../../src/routes/link-fields.js'
import { linkOver } from '../../src/routes/mailed-link.js'
import { EvidenceQuery } from '../../src/routes/proof-schemas.js'
import { Email, Instant, Name, Password } from '../../src/routes/schemas.js'
import { madeSigningKey } from '../support/signing-key.js'
import { csvRows, rowsOf as rowsOfFile, shippedRules } from '../support/policy.js'

type OfCount = (...counts: readonly number[]) => string

/** Those texts of a language that this looks at. */
interface Texts {
  readonly faults: Readonly<Record<string, Readonly<Record<string, string>>>>
  readonly problem: (problem: {
    readonly status: number
    readonly code: string
    readonly title: string
    readonly detail?: string
    readonly retryAfter?: number
    readonly errors: readonly { readonly field: string; readonly message: string }[]
  }) => string
  readonly links: { readonly leftOut: Refused; readonly refused: Refused; readonly deleted: OfCount }
  readonly lost: {
    readonly since: (since: Date) => string
    readonly again: (since: Date, seen: Date | null, againIn: number | null) => string
  }
  readonly imports: {
    readonly checked: OfCount
    readonly stopped: OfCount
    readonly done: OfCount
    readonly unreadable: (name: string, why: string) => string
    readonly readInPart: (why: string) => string
    readonly why: (why: unknown) => string
    readonly place: (place: string) => string
    readonly sameAs: (place: string) => string
  }
  readonly propose: {
    readonly fault: (message: string) => string
    readonly byRule: OfCount
    readonly holds: OfCount
    readonly stale: (revision: number, who: string | null) => string
  }
  readonly access: { readonly withUser: (roles: readonly string[]) => string }
  readonly proof: {
    readonly retired: OfCount
    readonly fault: (fault: { readonly kind: string; readonly [field: string]: unknown }) => string
  }
  readonly detailOf: (detail: string) => string
  readonly proposals: { readonly states: { readonly applied: string }; readonly approve: (revision: string) => string }
  readonly badges: { readonly used: OfCount }
  readonly decisions: {
    readonly whats: (kind: string, what: string) => string | undefined
    readonly quoted: (text: string) => string
    readonly tail: (tail: Tail) => string
  }
  readonly explain: {
    readonly may: (who: string) => string
    readonly gets: (who: string, code: string, rule: string | null) => string
    readonly asked: (who: string, action: string, record: string | null) => string
    readonly recorded: (count: string) => string
    readonly why: (why: string) => string
  }
  readonly link: { readonly you: string; readonly user: (id: string) => string }
  readonly revision: (revision: number) => string
  readonly none: string
  readonly users: { readonly suspendedNow: OfCount }
}
type Refused = (count: number, why: string) => string

const LANGUAGES = new URL('../../src/console/language/', import.meta.url)

/** The languages belong to the console, whose files the tests know no types of. */
const textsOf = async (name: string): Promise<Texts> => {
  const loaded: Readonly<Record<string, Texts>> = await import(new URL(`${name}.ts`, LANGUAGES).href)
  return loaded[name] ?? expect.fail(`no ${name}`)
}

/** The German texts, each file by its name. */
const germanFiles = async (): Promise<readonly (readonly [name: string, text: string])[]> => {
  const folder = fileURLToPath(LANGUAGES)
  const names = (await readdir(folder, { recursive: true })).filter((name) => /^de(\.ts$|\/)/.test(name))
  return Promise.all(names.map(async (name) => [name, await readFile(`${folder}${name}`, 'utf8')] as const))
}

describe('the words of the console', () => {
  it('are there for every event of an account and a retired month, in every language', async () => {
    const events = await readFile(new URL('migrations/functions/record_account_event.sql', PACKAGE_ROOT), 'utf8')
    const whats = [...events.matchAll(/'what',(.*?)(?:, *'|\)\))/gs)].flatMap(([, what = '']) =>
      [...what.matchAll(/(?:then|else|^)\s*'([^']+)'/g)].map(([, text = '']) => text),
    )
    expect(whats).to.include.members(['signed in', 'signed out', 'personal token added', 'subject unlinked'])
    for (const language of ['en', 'de']) {
      const { decisions } = await textsOf(language)
      expect(
        whats.filter((what) => decisions.whats('user', what) === undefined),
        language,
      ).to.deep.equal([])
      expect(decisions.whats('audit', 'expired'), language).to.not.equal(undefined)
    }
  })

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
    expect(links.deleted(1, 1)).to.equal('Gelöscht. 1 Tag lang können Sie ihn aus dem Papierkorb zurückholen.')
    expect(links.deleted(3, 30)).to.equal(
      '3 Links gelöscht. 30 Tage lang können Sie sie aus dem Papierkorb zurückholen.',
    )
  })

  it('say Sie in German, with the verb that belongs to it, and du nowhere', async () => {
    const { explain, link } = await textsOf('de')
    expect(explain.may(link.you)).to.equal('Sie dürfen das.')
    expect(explain.may('die Rolle editor')).to.equal('Die Rolle editor darf das.')
    expect(explain.gets(link.you, '403', 'R5')).to.equal('Sie bekämen 403, Regel R5.')
    expect(explain.gets('Siegfried', '403', null)).to.equal('Siegfried bekäme 403.')
    expect(explain.asked(`${link.you} (admin)`, 'link:delete', 'a')).to.equal('Sie (admin) wollten link:delete bei a.')
    expect(explain.asked('Eve (admin)', 'link:delete', null)).to.equal('Eve (admin) wollte link:delete.')
    for (const [name, text] of await germanFiles())
      expect(text.match(/\b(du|dein\w*|sichere|öffne|wähle|gib)\b/gi), name).to.equal(null)
  })

  it('fit one person and any noun, and have the quotation marks of their language', async () => {
    const [de, en] = [await textsOf('de'), await textsOf('en')]
    expect(de.none).to.equal('nicht vorhanden')
    expect(de.users.suspendedNow(1)).to.equal('1 Person gesperrt. Jedes zugehörige Token wird ab jetzt abgelehnt.')
    expect(de.decisions.quoted('warum')).to.equal('„warum“')
    expect(en.decisions.quoted('why')).to.equal('“why”')
    expect([de, en].map(({ explain }) => explain.recorded('0'))).to.deep.equal([
      'Nichts im Protokoll.',
      'Nothing in the log.',
    ])
  })

  it('have one thing in the singular, in English', async () => {
    const { links, imports, propose, proof, badges } = await textsOf('en')
    expect(imports.stopped(1)).to.equal('Stopped: 1 link is left.')
    expect(imports.stopped(2)).to.equal('Stopped: 2 links are left.')
    expect(propose.holds(2, 1)).to.equal('Every invariant holds, 1 of 2 questions is answered as expected.')
    expect(proof.retired(1, 1)).to.equal('1 entry of 1 month was dropped, as signed statements say.')
    expect(badges.used(0, 1)).to.equal('0 of 1 visit')
    expect(links.deleted(1, 30)).to.equal('Deleted. Restore within 30 days, from the trash.')
    expect(links.deleted(2, 1)).to.equal('2 links deleted. Restore within 1 day, from the trash.')
  })

  it('say since when there is no connection, what is seen, and when it is tried again', async () => {
    const [de, en] = [await textsOf('de'), await textsOf('en')]
    const [at, before] = [new Date(), new Date(Date.now() - 40 * 86_400_000)]
    // as either language writes times
    const time = /^(No connection since|Keine Verbindung seit) \d{1,2}:\d{2}( [AP]M)?\.$/
    for (const { lost } of [de, en]) expect(lost.since(at)).to.match(time)
    expect(en.lost.again(at, at, 8)).to.equal('What you see is from then; we try again in 8 s.')
    expect(en.lost.again(at, null, null)).to.equal('We try again now.')
    expect(en.lost.again(at, before, 8)).to.match(/^What you see is from .*\d{4}.*; we try again in 8 s\.$/)
    expect(de.lost.again(at, at, 8)).to.equal(
      'Sie sehen den Stand von diesem Zeitpunkt; wir versuchen es in 8 s wieder.',
    )
    expect(de.lost.again(at, null, null)).to.equal('Wir versuchen es gerade wieder.')
    const tail: Tail = { ...START, lost: { since: at, againIn: 8 } }
    expect(en.decisions.tail(tail)).to.match(/^Not live since \d.*, again in 8 s$/)
    expect(de.decisions.tail({ ...tail, lost: { since: at, againIn: null } })).to.match(/^Nicht live seit \d+:\d\d/)
  })

  it('name who was faster where the reader may know', async () => {
    const [de, en] = [await textsOf('de'), await textsOf('en')]
    expect(en.propose.stale(43, 'Mara')).to.equal('Mara applied revision 43 while you edited. Your draft is kept.')
    expect(en.propose.stale(43, null)).to.equal('Revision 43 came into force while you edited. Your draft is kept.')
    expect(de.propose.stale(43, 'Mara')).to.equal(
      'Mara hat Fassung 43 in Kraft gesetzt, während Sie änderten. Ihr Entwurf ist gesichert.',
    )
    expect(de.propose.stale(43, null)).to.equal(
      'Fassung 43 trat in Kraft, während Sie änderten. Ihr Entwurf ist gesichert.',
    )
  })

  it('have sentences for the commonest refusals, and the words of the service for others', async () => {
    const { problem } = await textsOf('de')
    const refusal = { status: 409, title: 'The title', errors: [] }
    for (const [code, sentence] of [
      ['code_taken', 'Das Kürzel ist vergeben. Wählen Sie ein anderes.'],
      ['conflict', 'Jemand anderes hat es zur selben Zeit geändert. Laden und vergleichen Sie es.'],
      ['last_admin', 'Der letzte aktive Admin muss bleiben. Machen Sie zuerst jemand anderen zum Admin.'],
      ['email_taken', 'Jemand hier hat diese Adresse schon.'],
      ['has_links', 'Es gibt noch Links. Sagen Sie, was aus ihnen wird.'],
      ['beyond_own_rights', 'Das gibt oder nimmt Rechte, die Sie selbst nicht haben.'],
      ['invariant_violated', 'Die Änderung bricht eine Invariante'],
      ['proposal_conflicts', 'Der Vorschlag passt nicht zu den Zeilen, die gelten'],
      ['proposer_lost_rights', 'Wer das vorschlug, hat die Rechte dazu nicht mehr'],
      ['proposal_closed', 'Der Vorschlag ist nicht mehr offen: Es ist nichts geschehen.'],
      ['too_many_tokens', 'Sie haben so viele Tokens, wie es geben darf. Widerrufen Sie erst eines.'],
      ['internal_error', 'Im Dienst ist etwas schiefgegangen. Wer ihn betreibt, findet den Grund in seinen Meldungen.'],
      ['deadline_exceeded', 'Das hat zu lange gedauert. Versuchen Sie es noch einmal, oder fragen Sie nach weniger.'],
      ['new_code', 'The title'],
      ['unexpected_answer', 'Etwas anderes hat statt des Dienstes geantwortet (409).'],
    ] as const)
      expect(problem({ ...refusal, code }), code).to.equal(sentence)
    expect([12, 3_599].map((retryAfter) => problem({ ...refusal, code: 'rate_limited', retryAfter }))).to.deep.equal([
      'Zu viele Anfragen. In 12 s geht es weiter.',
      'Zu viele Anfragen. In 60 min geht es weiter.',
    ])
    // a proxy's page
    expect(problem({ ...refusal, status: 502, code: 'unexpected_answer' })).to.match(
      /^Der Dienst antwortet gerade nicht/,
    )
    const errors = [
      { field: 'tags.0', message: 'must be at most 20 tags' },
      { field: 'colour', message: 'must be red' },
    ]
    expect(problem({ ...refusal, status: 422, code: 'validation_failed', errors })).to.equal(
      'Eine Angabe stimmt nicht. Höchstens 20 Schlagwörter. colour must be red.',
    )
  })

  it('count the roles that inherit every row of user where naming them would fill the page', async () => {
    const { access } = await textsOf('en')
    const german = await textsOf('de')
    const roles = Array.from({ length: 12 }, (_, i) => `team${i}`)
    expect(access.withUser(['viewer', 'editor'])).to.equal('viewer and editor inherit every row of user.')
    expect(access.withUser(roles)).to.equal('12 roles inherit every row of user.')
    expect(german.access.withUser(roles)).to.equal('12 Rollen: hier gilt jede Zeile von user.')
  })

  it('say in German why an edit or a proposal was refused', async () => {
    const { problem } = await textsOf('de')
    const rules = await shippedRules()
    const base = await buildSnapshot(1, rules.model, await rowsOfFile('default.csv'))
    const refused = (work: Promise<unknown>): Promise<string> =>
      work.then(
        () => expect.fail('nothing was refused'),
        (error: unknown) => {
          if (!(error instanceof Refusal)) throw error
          const { code, status, title, detail = '', errors = [] } = error
          return problem({ code, status, title, detail, errors })
        },
      )
    const editor = { id: '7', role: 'editor' }
    const edit = (add: string, maker: EditMaker) =>
      refused(planEdit(base, { add: csvRows(add), remove: [] }, rules, maker))
    expect(await edit('p, 1, R9, viewer, policy:read, any, allow', editor)).to.equal(
      'Das gibt oder nimmt Rechte, die Sie selbst nicht haben. Die Änderung erlaubt der Rolle viewer: policy:read ' +
        '(eigenes). Die Rolle editor selbst darf das nicht. Das ist die erste von 2 solchen Entscheidungen.',
    )
    expect(await edit('p, 1, R9, admin, profile:read, own, deny', editor)).to.equal(
      'Das gibt oder nimmt Rechte, die Sie selbst nicht haben. Die Änderung nimmt der Rolle admin: profile:read ' +
        '(eigenes). Sie darf mehr als die Rolle editor.',
    )
    expect(await edit('p, 1, R9, editor, link:delete, any, allow', 'unbounded')).to.equal(
      "Die Änderung bricht eine Invariante. Es ist only-admin-deletes-others (no role but admin deletes another's " +
        'link): editor dürfte: link:delete (fremdes); Zeile 1 (R9) entscheidet. Invarianten stehen in ' +
        'policies/invariants.csv und ändern sich nur dort.',
    )
    expect(await edit('p, 1, R9, admin, *, any, deny', 'unbounded')).to.match(
      /Es sind \d+ Invarianten\. Die erste ist admin-reads-policy \(.*\): admin dürfte nicht: policy:read \(/,
    )
    expect(await edit('p, 1, R9, anonymous, policy:read, any, allow', 'unbounded')).to.contain(
      'policy:read (ohne Konto)',
    )

    const proposal = (added: string): Proposal => ({
      id: '1',
      state: 'open',
      actor: { id: '7', name: null },
      reason: 'why',
      time: '2026-11-01T00:00:00.000Z',
      base: 1,
      added: [...csvRows(added)],
      removed: [],
      comments: [],
      closed: null,
      revision: null,
    })
    const plan = (add: string) => planProposal(base, proposal(add), rules, 'unbounded')
    expect(await refused(plan('p2, anyone, link:read'))).to.equal(
      'Der Vorschlag passt nicht zu den Zeilen, die gelten. Er würde nichts ändern: Was gilt, ist schon so.',
    )
    expect(await refused(plan('p, 100, R9, editor, link:read, any, allow'))).to.equal(
      'Der Vorschlag passt nicht zu den Zeilen, die gelten. Die Zeilen haben sich seither geändert: p, 100, R9, ' +
        'editor, link:read, any, allow: eine andere Zeile hat schon 100, und jede Priorität gibt es nur einmal.',
    )
    const add = 'p, 1, R9, editor, policy:write, any, allow'
    const proposer = {
      id: toId('7'),
      role: 'editor',
      email: 'eve@example.com',
      name: 'Eve',
      suspended: false,
      created_at: '',
    }
    const lost = async (found: User | null) =>
      refused(requireProposer(base, await plan(add), proposal(add), async () => found))
    const start = 'Wer das vorschlug, hat die Rechte dazu nicht mehr. '
    expect(await lost(null)).to.equal(`${start}Diese Person wurde gelöscht.`)
    expect(await lost({ ...proposer, suspended: true })).to.equal(`${start}Diese Person ist gesperrt.`)
    expect(await lost(proposer)).to.equal(
      `${start}Diese Person hat jetzt die Rolle editor, die die Regeln nicht ändern darf.`,
    )
  })

  it('say in German why a sign-in, a mail, a link or an invitation was refused', async () => {
    const { problem } = await textsOf('de')
    const refused = (code: RefusalCode, detail: string) => {
      const { status, title } = REFUSALS[code]
      return problem({ code, status, title, detail, errors: [] })
    }
    const { code, message } = linkOver()
    for (const [refusal, german] of [
      [
        refused(code, message),
        'Das gilt nicht mehr. Der Link wurde benutzt oder ist abgelaufen, oder es gab ihn nie. Fordern Sie einen ' +
          'neuen an.',
      ],
      [
        refused('gone', 'The invitation is withdrawn: nothing was done.'),
        'Das gilt nicht mehr. Die Einladung ist schon zurückgezogen: Es ist nichts geschehen.',
      ],
      [
        refused('no_mail', 'Ask an admin: linkgate user reset-link makes a link for you.'),
        'Dieser Dienst verschickt keine Mails. Fragen Sie einen Admin: linkgate user reset-link macht einen Link für ' +
          'Sie.',
      ],
      [
        refused(
          'https_required',
          'Over plain http, anybody on the way could read the session. Set BASE_URL to the https URL of this ' +
            'service, or, on its own machine, to one like http://127.0.0.1. It is http://go.example.com now.',
        ),
        'Im Browser kann man sich nur über https anmelden. Über http könnte jeder unterwegs die Sitzung mitlesen. ' +
          'Wer den Dienst betreibt, setzt BASE_URL auf dessen https-Adresse oder, auf demselben Rechner, auf eine ' +
          'wie http://127.0.0.1. Jetzt ist es http://go.example.com.',
      ],
    ])
      expect(refusal).to.equal(german)
  })

  it('say in German why a user with many links stays, and why a page elsewhere is refused', async () => {
    const { problem } = await textsOf('de')
    const refused = (code: RefusalCode, detail: string) => {
      const { status, title } = REFUSALS[code]
      return problem({ code, status, title, detail, errors: [] })
    }
    expect(refused('cross_site', 'Only pages of https://go.example.com may send this.')).to.equal(
      'Andere Websites dürfen das nicht senden. Nur Seiten von https://go.example.com dürfen es.',
    )
    const [few, all] = [tooManyLinks(10_001, 0).message, tooManyLinks(10_001, 30).message]
    expect(refused('too_many_links', few)).to.equal(
      'Das sind zu viele Links für eine Anfrage. Es sind 10001; eine Anfrage nimmt höchstens 10000. Geben Sie sie ' +
        'zuerst mit POST /users/{id}/links/transfer jemand anderem, oder löschen Sie mit linkgate user delete.',
    )
    expect(refused('too_many_links', all)).to.equal(
      'Das sind zu viele Links für eine Anfrage. Es sind 10001, davon 30 im Papierkorb; eine Anfrage nimmt höchstens ' +
        '10000. Geben Sie sie zuerst mit POST /users/{id}/links/transfer jemand anderem, oder löschen Sie mit ' +
        'linkgate user delete, das auch den Papierkorb leert.',
    )
  })

  it('say in sentences, of either language, why a request was refused that no row decided', async () => {
    const [english, german] = [(await textsOf('en')).explain, (await textsOf('de')).explain]
    const refused = (layer: DecidingLayer, rule: string, action: string) => {
      const record = { layer, subject_role: 'editor', relation: 'own', effect: 'deny', row_priority: null } as const
      const explained = explainRecord({ ...record, rule, action }, null)
      return explained !== null && 'why' in explained ? explained.why : expect.fail(`${rule} has no reason`)
    }
    const byRows = 'Die Zeilen erlauben es. Abgelehnt, weil'
    for (const [why, sentence] of [
      [
        refused('gateway', 'token_required', 'link:read'),
        'Es kam kein Token; nötig ist eines mit dem Umfang link:read.',
      ],
      [
        refused('gateway', 'token_required', 'other'),
        'Es kam kein Token; nötig ist eines mit dem Umfang der Operation.',
      ],
      [
        refused('gateway', 'invalid_token', 'link:read'),
        'Das Token ist nicht gültig: abgelaufen, widerrufen oder von einem anderen Aussteller, oder sein Besitzer ' +
          'ist gesperrt oder gelöscht.',
      ],
      [refused('gateway', 'insufficient_scope', 'link:read'), 'Dem Token fehlt der Umfang link:read.'],
      [refused('gateway', 'rate_limited', 'link:read'), 'Abgelehnt, bevor die Regeln gefragt wurden.'],
    ] as const)
      expect(german.why(why)).to.equal(sentence)
    expect([...REFUSED_BY_ROUTE.keys()].map((code) => german.why(refused('object', code, 'link:read')))).to.deep.equal([
      `${byRows} sie mehr Rechte brauchte, als diese Zeilen geben; die Antwort nannte das fehlende.`,
      `${byRows} die Änderung Rechte gibt oder nimmt, die ihr Urheber nicht hat.`,
      `${byRows} niemand über den eigenen Vorschlag entscheidet.`,
      `${byRows} der Vorschlag von jemand anderem ist.`,
      `${byRows} das Passwort des Links falsch war.`,
    ])
    expect(english.why(refused('object', 'wrong_password', 'link:read'))).to.equal(
      'The rows allow it; refused because the password of the link was wrong.',
    )
  })

  it('say in German why a checkpoint is not valid', async () => {
    const { detailOf, proof } = await textsOf('de')
    const key = await loadOrMakeSigningKey(await madeSigningKey())
    const other = await signStatement(key, { type: 'other+jwt', name: 'another', schema: z.object({}) }, {})
    const [unknown, unsigned, foreign] = await Promise.all([
      readCheckpoint(other, new Map()),
      readCheckpoint('no JWS', new Map()),
      readCheckpoint(other, new Map([[key.kid, key.publicKey]])),
    ])
    expect([unknown, unsigned, foreign].map((why) => detailOf(String(why)))).to.deep.equal([
      `ist mit dem Schlüssel ${key.kid} unterschrieben, den der Dienst nicht kennt`,
      'hat keine gültige Unterschrift',
      'ist kein Prüfpunkt',
    ])
    expect(proof.fault({ kind: 'checkpoint', id: '7', why: unsigned })).to.equal(
      'Prüfpunkt 7 hat keine gültige Unterschrift.',
    )
  })

  it('have a sentence for all that the service says of a link, a name or a period of the log', async () => {
    const place = { baseUrl: 'https://go.example.com', host: '127.0.0.1', port: 8_080, addresses: [] }
    const fields = z.object(linkFields(place))
    const good = { target: 'https://example.com', code: 'spring', tags: ['a'], password: 'long enough' }
    const bad: Readonly<Record<string, readonly unknown[]>> = {
      target: [
        'example.com',
        'https://example.com/a b',
        'https://example.com/\udc00',
        'https://a:b@example.com',
        'https://go.example.com/x',
        `https://example.com/${'x'.repeat(2_048)}`,
        `https://example.com/${'ü'.repeat(1_000)}`,
      ],
      code: ['a b', '', 'docs'],
      tags: [['!'], [''], ['x'.repeat(41)], Array.from({ length: 21 }, (_, i) => `tag ${i}`)],
      password: ['short', 'x'.repeat(201)],
      title: ['x'.repeat(201), 'two\nlines'],
      note: ['x'.repeat(2_001)],
      status: [200, 'moved'],
      active: ['perhaps'],
      forward_query: ['perhaps'],
      starts_at: ['soon', '1969-01-01T00:00:00Z'],
      expires_at: ['soon', '1969-01-01T00:00:00Z'],
      max_visits: ['many', 1.5, 0, 1_000_000_001],
    }
    const said = Object.entries(bad).flatMap(([field, values]) =>
      values.flatMap((value) => {
        const issues = fields.safeParse({ ...good, [field]: value }, { error: faultMessage }).error?.issues ?? []
        expect(issues, `${field} ${String(value)}`).to.have.length(1)
        return issues.map(({ message }) => [field, message] as const)
      }),
    )
    said.push(['expires_at', 'must be after starts_at'], ['starts_at', 'must be before expires_at'])
    for (const { message } of Password.safeParse('short').error?.issues ?? []) said.push(['password', message])
    for (const name of ['', 'two\nlines', 'x'.repeat(201)])
      for (const { message } of Name.safeParse(name, { error: faultMessage }).error?.issues ?? [])
        said.push(['name', message])
    for (const { message } of Email.safeParse('ada@').error?.issues ?? []) said.push(['email', message])
    for (const { field, message } of noHeir().errors ?? []) said.push([field, message])
    said.push(['owner_id', 'must be a user'])
    // a year of two digits, in a field that takes four
    for (const { message } of Instant.safeParse('0026-01-01T00:00:00Z').error?.issues ?? [])
      for (const field of ['from', 'to', 'until']) said.push([field, message])
    for (const period of [{ from: '2999-01-01' }, { from: '2020-01-02', to: '2020-01-01' }])
      for (const { message, path } of EvidenceQuery.safeParse(period).error?.issues ?? [])
        said.push([String(path[0]), message])
    for (const language of ['en', 'de']) {
      const { faults } = await textsOf(language)
      for (const [field, message] of said)
        expect(faults[field]?.[message], `${language}: ${field} ${message}`).to.be.a('string')
    }
  })

  it('have a German sentence for all that the service says of a row of an edit', async () => {
    const { propose } = await textsOf('de')
    const object = { ptype: 'p', priority: 1, rule: 'R1', role: 'editor', action: 'link:read' }
    const row = { ...object, reach: 'any', effect: 'deny' }
    const inherits = { ptype: 'g', role: 'clerk', inherits: 'editor' }
    const said = [
      { ...row, priority: 0 },
      { ...row, rule: 'r' },
      { ...row, role: 'R' },
      { ...row, action: 'like:read' },
      { ...row, comment: 'x'.repeat(501) },
      { ...row, comment: 'a\0' },
      { ...inherits, role: 'anyone' },
      { ...inherits, inherits: 'anyone' },
      { ...inherits, inherits: 'clerk' },
    ].flatMap((each) => {
      const parsed = parseEditedRow(each)
      return parsed.ok ? expect.fail(JSON.stringify(each)) : parsed.faults.map(({ message }) => message)
    })
    expect(said).to.have.length(9)
    const rows = csvRows('p, 1, R1, editor, link:read, any, deny\ng, clerk, editor')
    const { model } = await shippedRules()
    const base = await buildSnapshot(1, model, rows)
    const edit = {
      add: [...csvRows('p, 1, R2, editor, link:read, any, deny'), ...csvRows('g, editor, clerk')],
      remove: csvRows('p2, editor, link:read'),
      comments: [],
    }
    try {
      editedRows(base, edit)
    } catch (error) {
      if (error instanceof Refusal) said.push(...(error.errors ?? []).map(({ message }) => message))
    }
    expect(said).to.have.length(12)
    said.push('the row no longer exists', 'the comment of the row has changed')
    for (const message of said) expect(propose.fault(message), message).to.not.equal(message)
    expect(propose.fault(said.find((message) => message.startsWith('1 is')) ?? '')).to.equal(
      'eine andere Zeile hat schon 1, und jede Priorität gibt es nur einmal',
    )
  })

  it('say in German all that is wrong with a file that is imported, and from which line on', async () => {
    const { imports } = await textsOf('de')
    const head = 'code,target\n'
    for (const [text, sentence] of [
      ['', 'sie ist leer'],
      [head, 'sie enthält keine Einträge'],
      ['a\0', 'sie ist kein Text in UTF-8: Speichern Sie sie als „CSV UTF-8“'],
      [Uint8Array.from([97, 0xe4, 10]), 'ein Zeichen ist nicht UTF-8: Speichern Sie die Datei als „CSV UTF-8“'],
      ['[{', 'sie ist weder ein JSON-Dokument noch eines in jeder Zeile'],
      ['code,target,Code\n', 'zwei ihrer Spalten heißen code'],
      [`${head}"a`, 'ab Zeile 2 ist ein Anführungszeichen nicht geschlossen'],
    ] as const) {
      const error: unknown = await readImport(new File([text], 'x')).catch((thrown: unknown) => thrown)
      const { message } = error instanceof Error ? error : expect.fail(`nothing is wrong with ${String(text)}`)
      expect(imports.unreadable('x', message)).to.equal(`x lässt sich nicht lesen: ${sentence}.`)
    }

    for (const [rest, sentence] of [
      ['"never closed', 'ab Zeile 3 ist ein Anführungszeichen nicht geschlossen'],
      ['x'.repeat(1_100_000), 'ab Zeile 3 ist ein Eintrag zu lang oder ein Anführungszeichen nicht geschlossen'],
    ] as const) {
      const { fault } = await readImport(new File([`${head}a,https://example.com\n${rest}`], 'x'))
      expect(imports.readInPart(fault ?? '')).to.equal(`Nur ein Teil der Datei war lesbar: ${sentence}.`)
    }
    expect(imports.readInPart('from line 3 on it cannot be read: Whatever csv-parse says')).to.equal(
      'Nur ein Teil der Datei war lesbar: ab Zeile 3 ist sie kein CSV.',
    )

    for (const [text, sentence] of [
      [`${head}a`, 'Die Zahl der Zellen (1) ist nicht die der Spalten (2).'],
      [`${head}a,https://example.com,b`, 'Die Zahl der Zellen (3) ist nicht die der Spalten (2).'],
      ['link,long_url,is_deleted\nbit.ly/a,https://example.com,true', 'Wurde bei Bitly gelöscht.'],
      ['{"target":"https://example.com"}\nno', 'Ist kein JSON oder zu tief verschachtelt.'],
      ['[{"target":"https://example.com"},7]', 'Ist kein JSON-Objekt.'],
      [
        '{"target":"https://example.com","note":"a\\u0000"}',
        'Note enthält ein Zeichen, das sich nicht speichern lässt.',
      ],
    ] as const) {
      const { records } = await readImport(new File([text], 'x'))
      const format = text.includes('is_deleted') ? FORMATS.bitly : FORMATS.csv
      const refused = rowsOf(records, format, new Map()).flatMap(({ outcome }) =>
        outcome.is === 'refused' ? [imports.why(outcome.why)] : [],
      )
      expect(refused).to.deep.equal([sentence])
    }

    const { records } = await readImport(new File(['[1, {}]'], 'x'))
    expect(records.map(({ place }) => imports.place(place))).to.deep.equal(['1, Link 1', '1, Link 2'])
    expect(['4', 'link 2', '4, link 2'].map(imports.sameAs)).to.deep.equal([
      'wie Zeile 4',
      'wie Link 2',
      'wie Zeile 4, Link 2',
    ])
  })

  it('have one German word for a revision', async () => {
    expect((await textsOf('de')).revision(5)).to.equal('Fassung 5 der Regeln')
    for (const [name, text] of await germanFiles()) expect(text.match(/\bRevision(en)?\b/g), name).to.equal(null)
  })

  it('have one German word for a user', async () => {
    expect((await textsOf('de')).link.user('7')).to.equal('Person 7')
    for (const [name, text] of await germanFiles()) expect(text.match(/\bBenutzer\b/g), name).to.equal(null)
  })

  it('have one German word for the comment of a row, and one for the log', async () => {
    for (const [name, text] of await germanFiles()) expect(text.match(/Bemerkung|Aufzeichnung/g), name).to.equal(null)
  })

  it('have one German word for an approval, and one for the key Enter', async () => {
    for (const [name, text] of await germanFiles())
      expect(text.match(/[zZ]ustimm\w+|Vorschlag angenommen|Angenommen durch|Eingabetaste/g), name).to.equal(null)
    const { proposals } = await textsOf('de')
    expect(proposals.states.applied).to.equal('genehmigt')
    expect(proposals.approve('43')).to.equal('Als Fassung 43 genehmigen')
  })

  it('have one German word for the code of a link', async () => {
    const found = (await germanFiles()).flatMap(([, text]) => text.match(/[^']*(?<!QR-)\bCode\b[^']*/g) ?? [])
    expect(found).to.have.length(2)
    expect(found[0]).to.equal('eine Regel oder den Code einer Ablehnung')
    expect(found[1]).to.contain('wird wie Code geprüft')
  })
})
