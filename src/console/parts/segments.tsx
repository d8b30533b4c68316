import type { ComponentChildren } from 'preact'
import { useId } from 'preact/hooks'

interface SegmentsProps<Name> {
  readonly label: string
  readonly names: readonly Name[]
  readonly chosen: Name
  readonly words: (name: Name) => ComponentChildren
  readonly onChoose: (name: Name) => unknown
  /** disabled choices; the text next to them says why */
  readonly isOff?: (name: Name) => boolean
}

/** A choice between a few visible options. */
export const Segments = <Name extends string | boolean | null>({
  label,
  names,
  chosen,
  words,
  onChoose,
  isOff = () => false,
}: SegmentsProps<Name>) => {
  const id = useId()
  return (
    <div class="segments" role="radiogroup" aria-label={label}>
      {names.map((each) => (
        <label key={String(each)}>
          <input
            type="radio"
            name={id}
            checked={each === chosen}
            disabled={isOff(each)}
            onChange={() => void onChoose(each)}
          />
          {words(each)}
        </label>
      ))}
    </div>
  )
}

/** The same as a form field, with a visible label. */
export const SegmentsField = <Name extends string>(props: SegmentsProps<Name>) => (
  <div class="field">
    <strong aria-hidden="true">{props.label}</strong>
    <Segments {...props} />
  </div>
)
