import { propose } from './propose'
import { translated, type Words } from './translated'

/** In place of the service’s own titles. */
const TITLES: Readonly<Record<string, string>> = {
  invariant_violated: 'Die Änderung bricht eine Invariante',
  proposal_conflicts: 'Der Vorschlag passt nicht zu den Zeilen, die gelten',
  proposer_lost_rights: 'Wer das vorschlug, hat die Rechte dazu nicht mehr',
  https_required: 'Im Browser kann man sich nur über https anmelden',
  no_mail: 'Dieser Dienst verschickt keine Mails',
  gone: 'Das gilt nicht mehr',
  cross_site: 'Andere Websites dürfen das nicht senden',
  too_many_links: 'Das sind zu viele Links für eine Anfrage',
}
export const titleOf = ({ code, title }: { readonly code: string; readonly title: string }): string =>
  TITLES[code] ?? title

/** What the service says of a refusal, or of a checkpoint that is not valid, part by part. */
const DETAILS: Words = [
  // an edit beyond the rights of its maker, or of who proposed it
  [/^The edit allows (\S+) /, 'Die Änderung erlaubt der Rolle $1: '],
  [/, which the role ([\w-]+) may not do itself/, '. Die Rolle $1 selbst darf das nicht'],
  [
    /^The edit takes (\S+) (.*) from a role that may do more than the role ([\w-]+)/,
    'Die Änderung nimmt der Rolle $1: $2. Sie darf mehr als die Rolle $3',
  ],
  [/, the first of ([\d,]+) such decisions/, '. Das ist die erste von $1 solchen Entscheidungen'],
  // an edit that breaks an invariant
  [/^The edit breaks invariant /, 'Es ist '],
  [/^The edit breaks (\d+) invariants; the first is invariant /, 'Es sind $1 Invarianten. Die erste ist '],
  [/: (\S+) would be allowed /, ': $1 dürfte: '],
  [/: (\S+) would be denied /, ': $1 dürfte nicht: '],
  [/: (\S+) would be refused /, ': $1 käme nicht an den Endpunkt: '],
  [/; row (\d+) (\(\S+\)) decides\./, '; Zeile $1 $2 entscheidet.'],
  [/; no row matches\./, '; keine Zeile passt.'],
  [/; no endpoint row lets it through\./, '; keine Endpunktzeile lässt es durch.'],
  [/ Invariants change only in (\S+)\.$/, ' Invarianten stehen in $1 und ändern sich nur dort.'],
  // of either
  [/ without a user(?=[.,;])/, ' (ohne Konto)'],
  [/ on an own record(?=[.,;])/, ' (eigenes)'],
  [/ on another's record(?=[.,;])/, ' (fremdes)'],
  // a proposal
  [/^The proposer was deleted\.$/, 'Diese Person wurde gelöscht.'],
  [/^The proposer is suspended\.$/, 'Diese Person ist gesperrt.'],
  [
    /^The proposer now has the role (\S+), .*/,
    'Diese Person hat jetzt die Rolle $1, die die Regeln nicht ändern darf.',
  ],
  [/^It would change nothing: .*/, 'Er würde nichts ändern: Was gilt, ist schon so.'],
  // signing in, links and invitations
  [
    /^Over plain http, .* It is (\S+) now\.$/,
    'Über http könnte jeder unterwegs die Sitzung mitlesen. Wer den Dienst betreibt, setzt BASE_URL auf dessen ' +
      'https-Adresse oder, auf demselben Rechner, auf eine wie http://127.0.0.1. Jetzt ist es $1.',
  ],
  [/^Ask an admin: linkgate .*/, 'Fragen Sie einen Admin: linkgate user reset-link macht einen Link für Sie.'],
  [
    /^The link was used or has expired.*/,
    'Der Link wurde benutzt oder ist abgelaufen, oder es gab ihn nie. Fordern Sie einen neuen an.',
  ],
  [/^The invitation is accepted: .*/, 'Die Einladung ist schon angenommen: Es ist nichts geschehen.'],
  [/^The invitation is withdrawn: .*/, 'Die Einladung ist schon zurückgezogen: Es ist nichts geschehen.'],
  [/^The invitation is expired: .*/, 'Die Einladung ist schon abgelaufen: Es ist nichts geschehen.'],
  [/^Only pages of (\S+) may send this\.$/, 'Nur Seiten von $1 dürfen es.'],
  // deleting somebody who has many links
  [/^The user has (\d+) links/, 'Es sind $1'],
  [/ \((\d+) of them in the trash\)/, ', davon $1 im Papierkorb'],
  [
    /, and one request takes (\d+)\. Give them .* or run linkgate user delete/,
    '; eine Anfrage nimmt höchstens $1. Geben Sie sie zuerst mit POST /users/{id}/links/transfer jemand anderem, ' +
      'oder löschen Sie mit linkgate user delete',
  ],
  [/, which takes the trash as well\.$/, ', das auch den Papierkorb leert.'],
  // a checkpoint that is not valid
  [/^is not a checkpoint$/, 'ist kein Prüfpunkt'],
  [/^has no valid signature$/, 'hat keine gültige Unterschrift'],
  [
    /^is signed with the key (\S*), which was not given$/,
    'ist mit dem Schlüssel $1 unterschrieben, den der Dienst nicht kennt',
  ],
]

export const detailOf = (detail: string): string => {
  const [, row, fault] = /^The rows have changed since: (.*?): (.*)\.$/s.exec(detail) ?? []
  if (row === undefined || fault === undefined) return translated(DETAILS, detail)
  return `Die Zeilen haben sich seither geändert: ${row}: ${propose.fault(fault)}.`
}
