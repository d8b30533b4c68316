import type { ManagedLink } from '../../api'
import { dateAndTime } from '../../language/format'
import { t } from '../../language/language'
import { Note } from '../../parts/note'

/** What visitors get if the link is not open. */
export const StateNote = ({ link }: { readonly link: ManagedLink }) => {
  const title = closedWords(link, Date.now())
  return title === null ? null : <Note kind="lit" title={title} />
}

const closedWords = ({ active, starts_at: start, expires_at: end }: ManagedLink, now: number): string | null => {
  if (!active) return t.link.closed.off
  if (end !== null && now >= Date.parse(end)) return t.link.closed.over(dateAndTime(end))
  if (start !== null && now < Date.parse(start)) return t.link.closed.early(dateAndTime(start))
  return null
}
