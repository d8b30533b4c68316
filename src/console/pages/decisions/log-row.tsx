import { useId } from 'preact/hooks'

import type { Decision, LogEntry } from '../../api'
import { clock } from '../../language/format'
import { t } from '../../language/language'
import { Icon } from '../../parts/icon'
import { EffectWord, RuleLabel } from '../../parts/matrix/verdict'
import type { NameOf } from '../../parts/use-names'
import { RevisionWords, changedFields, makerIn, revisionOf, whatIn } from './change-words'
import { LayerBars } from './layer-bars'
import { LineDetails } from './line-details'
import { isDecision } from './log-line'
import { recordWords } from './record-words'
import type { Term } from './query'

export interface RowProps {
  readonly line: LogEntry
  readonly isOpen: boolean
  readonly isFresh: boolean
  readonly nameOf: NameOf
  readonly onTurn: (line: LogEntry) => unknown
  readonly addressWith: (terms: readonly Term[]) => string
  /** null: the caller may read the policy */
  readonly policyOff: string | null
}

export const COLUMNS = 8

/** A line of the log; its details open below it. */
export const LogRow = (props: RowProps) => {
  const { line, isOpen, isFresh, nameOf, onTurn, addressWith } = props
  const id = useId()
  const revision = revisionOf(line)
  const look = [revision !== null && 'band', isOpen && 'open', isFresh && 'fresh'].filter(Boolean).join(' ')
  return (
    <>
      <tr
        class={look || undefined}
        data-id={line.id}
        onClick={({ target }) => {
          // the row's button and links act themselves, and selecting text opens nothing
          if (target instanceof Element && target.closest('a, button') === null && isNothingSelected()) onTurn(line)
        }}
      >
        <td class="time-cell">
          <button
            type="button"
            class="mono"
            aria-expanded={isOpen}
            aria-controls={isOpen ? id : undefined}
            onClick={() => void onTurn(line)}
          >
            <time dateTime={line.time}>{clock(line.time)}</time>
          </button>
        </td>
        {revision !== null ? (
          <RevisionCells {...props} revision={revision} />
        ) : isDecision(line) ? (
          <DecisionCells line={line} nameOf={nameOf} />
        ) : (
          <ChangeCells {...props} />
        )}
      </tr>
      {isOpen && (
        <tr class="details">
          <td colSpan={COLUMNS} id={id}>
            <LineDetails line={line} nameOf={nameOf} addressWith={addressWith} />
          </td>
        </tr>
      )}
    </>
  )
}

const isNothingSelected = (): boolean => (getSelection()?.toString() ?? '') === ''

const DecisionCells = ({ line, nameOf }: Pick<RowProps, 'nameOf'> & { readonly line: Decision }) => {
  const { subject, action, effect, rule, layer, status } = line
  const stop = effect === 'allow' ? null : layer
  return (
    <>
      <td class="who-cell">
        <bdi>{nameOf(subject.id)}</bdi>{' '}
        <span class="caption">{subject.id === null ? subject.network : subject.role}</span>
      </td>
      <td class="mono">{action}</td>
      <td>{recordWords(line, nameOf)}</td>
      <td>
        <EffectWord effect={effect} />
      </td>
      <td>
        <RuleLabel rule={rule} />
      </td>
      <td class="layer-cell">
        <LayerBars stop={stop} /> {t.decisions.layer(stop)}
      </td>
      <td class="status-cell">
        <span class="unseen">{t.decisions.columns.status}: </span>
        {status}
      </td>
    </>
  )
}

const ChangeCells = (props: RowProps) => {
  const { line, nameOf } = props
  // a user's change of their own account names them only once
  const isOwn = line.resource.type === 'user' && line.resource.code === line.subject.id
  const fields = changedFields(line.change).map(([field, value]) => `${t.decisions.field(field)}: ${value}`)
  return (
    <>
      <td class="who-cell">
        <bdi>{makerIn(line, nameOf)}</bdi> <span class="caption">{line.subject.role}</span>
      </td>
      <td>{whatIn(line)}</td>
      <td>{isOwn ? '' : recordWords(line, nameOf)}</td>
      <td colSpan={COLUMNS - 4} class="caption more-cell">
        <span class="cut">{fields.join(', ')}</span>
      </td>
    </>
  )
}

const RevisionCells = ({ line, nameOf, revision, policyOff }: RowProps & { readonly revision: number }) => (
  <td colSpan={COLUMNS - 1} class="band-cell">
    <div class="row">
      <Icon name="edit" />
      <span class="words">
        <RevisionWords line={line} revision={revision} nameOf={nameOf} />
      </span>
      {policyOff === null ? (
        <a href={`/console/revisions?revision=${revision}`}>{t.decisions.whatChanged}</a>
      ) : (
        <span class="caption">
          {t.decisions.whatChanged}: {policyOff}
        </span>
      )}
    </div>
  </td>
)
