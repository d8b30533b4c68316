/** A labelled choice in a line of filters. A name that is empty or undefined stands for all. */
export const FilterSelect = <Name extends string | undefined>({
  label,
  names,
  chosen,
  words,
  atEnd = false,
  onChoose,
}: {
  readonly label: string
  readonly names: readonly Name[]
  readonly chosen: Name
  readonly words: (name: Name) => string
  readonly atEnd?: boolean
  readonly onChoose: (name: Name) => unknown
}) => (
  <label class={atEnd ? 'select push' : 'select'}>
    <span>{label}</span>
    <select
      value={chosen ?? ''}
      onChange={({ currentTarget: { value } }) => {
        for (const name of names) if ((name ?? '') === value) void onChoose(name)
      }}
    >
      {names.map((name) => (
        <option key={name ?? ''} value={name ?? ''}>
          {words(name)}
        </option>
      ))}
    </select>
  </label>
)
