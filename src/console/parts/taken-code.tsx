import { Fragment } from 'preact'
import { useRef } from 'preact/hooks'

import { LinkgateProblem, api } from '../api'
import { t } from '../language/language'
import { codesLike, type Wanted } from './codes-like'
import { useLoaded } from './loaded'
import { pause } from './pause'

/** How long the question which codes are free may take, in milliseconds: later, somebody has typed another. */
const LONGEST_MS = 5_000
const SHOWN = 3

const NONE: readonly string[] = []

/** Codes for such a link under which the caller could create it; none without an answer. */
const freeCodes = async (wanted: Wanted, signal: AbortSignal): Promise<readonly string[]> => {
  const codes = codesLike(wanted)
  const items = codes.map((code) => ({ code, target: wanted.target }))
  try {
    const { results } = await api.changeManyLinks({ operation: 'create', items }, { query: { dry_run: true }, signal })
    return codes.filter((_, index) => results.some((each) => each.index === index && each.status === 201))
  } catch (error) {
    if (error instanceof LinkgateProblem) return NONE
    throw error
  }
}

/** Says that a code is taken. As soon as free ones are known, each is a button that writes it into the form's field. */
export const TakenCode = ({ wanted }: { readonly wanted: Wanted }) => {
  const place = useRef<HTMLSpanElement>(null)
  const { value } = useLoaded(
    (signal) => Promise.race([freeCodes(wanted, signal), pause(LONGEST_MS, signal).then(() => NONE)]),
    [wanted],
  )
  const take = (code: string) => {
    const field = place.current?.closest('form')?.elements.namedItem('code')
    if (!(field instanceof HTMLInputElement)) return
    field.value = code
    field.focus()
  }
  const free = (value ?? NONE).slice(0, SHOWN)
  return (
    <span ref={place} role="status">
      {t.fields.taken(wanted.code)}
      {free.length > 0 && ` ${t.fields.free} `}
      {free.map((code, i) => (
        <Fragment key={code}>
          {i > 0 && ', '}
          <button type="button" class="button bare mono" onClick={() => take(code)}>
            {code}
          </button>
        </Fragment>
      ))}
    </span>
  )
}
