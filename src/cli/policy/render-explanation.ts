import type { EndpointRefusal } from '../../audit/record-explanation.js'
import type { PolicyRow } from '../../domain/policy-row.js'
import type { Considered, Explanation } from '../../policy/explanation.js'
import { counted, renderTable, rowText } from './render.js'

const ON = { anonymous: 'without a user', own: 'on an own record', other: "on another's record, or none" } as const

/** The answer first, then what decided, then every row that was looked at. */
export const renderExplanation = (explanation: Explanation, onTerminal?: boolean): string => {
  const { revision, role, inherits, action, relation, effect, layer, endpoint, object } = explanation
  return [
    `${role} ${action} ${ON[relation]}: ${layer === 'endpoint' ? 'deny, not let in' : `${effect} ${object.rule}`} (revision ${revision})`,
    ...(inherits.length === 0 ? [] : [`rows of ${[role, ...inherits].join(', ')} count`]),
    '',
    `may the role call the endpoint? ${endpoint.effect === 'allow' ? 'yes' : 'no: no endpoint row lets it in'}${layer === 'endpoint' ? ', so the request is refused before the record is looked up' : ''}`,
    ...rowsTable(endpoint, onTerminal),
    '',
    layer === 'endpoint'
      ? `where it is asked all the same (can(), AuthZEN): ${object.effect} ${object.rule}`
      : `what do the rows say of the record? ${object.effect} ${object.rule}${object.row === null ? ': no row matches, and the model denies' : ''}`,
    ...rowsTable(object, onTerminal),
  ].join('\n')
}

/** The endpoint's answer alone: the record was never looked up. */
export const renderRefusal = (
  { revision, role, inherits, action, endpoint }: EndpointRefusal,
  onTerminal?: boolean,
): string =>
  [
    `${role} ${action}: deny, not let in (revision ${revision})`,
    `rows of ${[role, ...inherits].join(', ')} count`,
    'no endpoint row lets the role in, so the request was refused before the record was looked up',
    ...rowsTable(endpoint, onTerminal),
  ].join('\n')

const OUTCOME = { does_not_match: 'does not match', decides: 'decides', not_reached: 'not reached' } as const

const rowsTable = (
  { considered, not_listed }: { readonly considered: readonly Considered<PolicyRow>[]; readonly not_listed: number },
  onTerminal?: boolean,
): readonly string[] => [
  ...(considered.length === 0
    ? []
    : [
        renderTable(
          ['row', 'outcome'],
          considered.map(({ row, outcome, why }) => [
            rowText(row),
            `${OUTCOME[outcome]}${why === null ? '' : `: ${why}`}`,
          ]),
          onTerminal,
        ),
      ]),
  ...(not_listed === 0 ? [] : [`and ${counted(not_listed, 'row')} more`]),
]
