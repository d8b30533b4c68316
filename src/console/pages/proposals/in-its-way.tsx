import { isObject } from '../../../domain/is-object.js'
import { t } from '../../language/language'
import { Note } from '../../parts/note'

interface Obstacle {
  readonly title: string
  readonly detail: string | null
  readonly [member: string]: unknown
}

/** The reasons in a list of faults or violations: faults with their fields, violations with the invariant's name. */
const linesIn = (list: unknown): readonly string[] =>
  (Array.isArray(list) ? list : []).flatMap((each: unknown) => {
    if (!isObject(each)) return []
    const { field, name, invariant, message } = each
    const about = [field, name, invariant].find((text) => typeof text === 'string')
    const texts = [about, message].filter((text) => typeof text === 'string')
    return texts.length === 0 ? [] : [texts.join(': ')]
  })

export const InItsWay = ({ problem }: { readonly problem: Obstacle }) => {
  const lines = [...linesIn(problem['violations']), ...linesIn(problem['errors'])]
  return (
    <Note kind="deny" title={t.proposals.inItsWay(problem.title)}>
      {problem.detail !== null && <p>{problem.detail}</p>}
      {lines.length > 0 && (
        <ul class="row-changes">
          {lines.map((line) => (
            <li key={line}>{line}</li>
          ))}
        </ul>
      )}
    </Note>
  )
}
