import type { LogEntry } from '../../api'
import { number } from '../../language/format'
import { t } from '../../language/language'
import { textIn } from '../../parts/narrow'
import type { NameOf } from '../../parts/use-names'

const wordsIn = (value: unknown): string | null => textIn(value) || null
const numberIn = (value: unknown): number => (typeof value === 'number' ? value : 0)

/** The revision that a line announces; null for any other line. */
export const revisionOf = ({ kind, change, resource, revision }: LogEntry): number | null => {
  if (kind !== 'policy' || change?.['what'] !== 'revision') return null
  const named = Number(resource.code)
  return Number.isSafeInteger(named) && named > 0 ? named : revision
}

/** Who made a change: a user, or the name in the database for changes by SQL or the command line. */
export const makerIn = ({ subject, change }: LogEntry, nameOf: NameOf): string => {
  const id = wordsIn(change?.['actor_id']) ?? subject.id
  if (id !== null) return nameOf(id)
  return wordsIn(change?.['actor']) ?? wordsIn(change?.['by']) ?? t.link.nobody
}

/** The effects of a revision, in a sentence or two. */
export const RevisionWords = ({
  line,
  revision,
  nameOf,
}: {
  readonly line: LogEntry
  readonly revision: number
  readonly nameOf: NameOf
}) => {
  const { added, removed, decisions_changed: decisions } = line.change ?? {}
  const reason = wordsIn(line.change?.['reason'])
  return (
    <>
      <strong>{t.decisions.tookForce(number(revision))}</strong> {makerIn(line, nameOf)}
      {reason !== null && <>: {t.decisions.quoted(reason)}</>}.{' '}
      {t.revisions.rows(number(numberIn(added)), number(numberIn(removed)))},{' '}
      {t.decisions.decisionsChanged(numberIn(decisions))}
    </>
  )
}

/** Fields whose two values are the old and the new one; other lists are plain lists. */
const TURNED: ReadonlySet<string> = new Set(['role', 'suspended', 'owner', 'code'])

const valueText = (value: unknown): string => {
  if (value === null) return t.none
  if (typeof value === 'boolean') return t.policy.yesOrNo[value ? 'allow' : 'deny']
  return typeof value === 'string' ? value : JSON.stringify(value)
}

const fieldText = (field: string, value: unknown): string => {
  if (!Array.isArray(value)) return valueText(value)
  const texts = value.map(valueText)
  const [from, to] = texts
  return TURNED.has(field) && from !== undefined && to !== undefined ? t.decisions.fromTo(from, to) : texts.join(', ')
}

/** The changed fields of a log line. */
export const changedFields = (change: LogEntry['change']): readonly (readonly [string, string])[] =>
  Object.entries(change ?? {}).flatMap(([field, value]) =>
    field === 'what' || value === null ? [] : [[field, fieldText(field, value)] as const],
  )

/** What happened, in words; unknown kinds are shown as logged. */
export const whatIn = ({ kind, change }: LogEntry): string => {
  const what = wordsIn(change?.['what']) ?? ''
  return t.decisions.whats(kind, what) ?? `${kind}: ${what}`
}
