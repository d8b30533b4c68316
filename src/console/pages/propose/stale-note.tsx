import { api } from '../../api'
import { t } from '../../language/language'
import { Button } from '../../parts/button'
import { LoadProblem } from '../../parts/load-problem'
import { useLoaded } from '../../parts/loaded'
import { Note } from '../../parts/note'
import { useLeftFocus } from '../../parts/focus'
import { rowText } from '../../parts/policy/row'
import { type RowEdit } from './draft'

const BOTH = 'both-edits'

/** Leads to the two edits, from wherever on the page. */
export const SeeBoth = () => (
  <Button onPress={() => document.querySelector<HTMLElement>(`#${BOTH}`)?.focus()}>{t.propose.seeBoth}</Button>
)

/** Somebody else's edit and the user's own, side by side, and how to continue with both. */
export const StaleNote = ({
  from,
  to,
  mine,
  onCarry,
}: {
  readonly from: number
  readonly to: number
  readonly mine: readonly RowEdit[]
  readonly onCarry: () => unknown
}) => {
  const loaded = useLoaded(
    async (signal) => {
      const [between, made] = await Promise.all([
        api.comparePolicyRevisions({ from: String(from), to: String(to) }, { signal }),
        api.getPolicyRevision(to, { signal }),
      ])
      return { between, made }
    },
    [from, to],
  )
  // that of an earlier edit stays until this one is loaded
  const value = loaded.value?.made.revision === to ? loaded.value : null
  return (
    <div ref={useLeftFocus<HTMLDivElement>()}>
      <Note kind="lit" title={t.propose.stale(to, value?.made.actor.name ?? null)}>
        <div class="row">
          <SeeBoth />
        </div>
        <LoadProblem of={{ ...loaded, at: null }} />
        {value !== null && <p>{t.propose.staleWhy(value.made.reason, value.made.time)}</p>}
        <div class="two" id={BOTH} role="group" aria-label={t.propose.both} tabIndex={-1}>
          <section aria-label={t.propose.theirs}>
            <h2>{t.propose.theirs}</h2>
            <RowChanges
              removed={value?.between.removed.map(rowText) ?? []}
              added={value?.between.added.map(rowText) ?? []}
            />
          </section>
          <section aria-label={t.propose.mine}>
            <h2>{t.propose.mine}</h2>
            <EditedRows edits={mine} />
          </section>
        </div>
        <div class="row">
          <Button kind="main" onPress={onCarry}>
            {t.propose.carry}
          </Button>
        </div>
      </Note>
    </div>
  )
}

/** Rows in file format, with removed ones struck through. */
const RowChanges = ({ removed, added }: { readonly removed: readonly string[]; readonly added: readonly string[] }) => (
  <ul class="row-changes">
    {removed.map((text) => (
      <li key={`- ${text}`}>
        <del>
          <code>{text}</code>
        </del>
      </li>
    ))}
    {added.map((text) => (
      <li key={`+ ${text}`}>
        <code>{text}</code>
      </li>
    ))}
  </ul>
)

export const EditedRows = ({ edits }: { readonly edits: readonly RowEdit[] }) => (
  <RowChanges
    removed={edits.flatMap(({ was, now }) => {
      const isMoved = was !== null && (now === null || rowText(now.row) !== rowText(was))
      return isMoved ? rowText(was) : []
    })}
    added={edits.flatMap(({ now }) =>
      now === null ? [] : `${rowText(now.row)}${now.comment === '' ? '' : `  # ${now.comment}`}`,
    )}
  />
)
