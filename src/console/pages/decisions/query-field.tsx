import { useSignal } from '@preact/signals'
import { useEffect, useId, useRef } from 'preact/hooks'

import { t } from '../../language/language'
import { Icon } from '../../parts/icon'
import { readQuery } from './meaning'
import { formatQuery, formatTerm, parseQuery, withTerms, type Term } from './query'
import type { KnownValues, Suggestion } from './suggestions'
import { readTyped } from './typed'

/** A search by qualifiers: the current terms as chips, a text field, and suggestions. */
export const QueryField = ({
  query,
  known,
  onSearch,
  onType,
}: {
  readonly query: string
  readonly known: KnownValues
  readonly onSearch: (query: string) => unknown
  /** called with what is typed; null: nothing */
  readonly onType: (term: Term | null) => unknown
}) => {
  const terms = useSignal<readonly Term[]>(parseQuery(query))
  const typed = useSignal('')
  /** the place of the suggestion chosen by arrow keys; null: none */
  const chosen = useSignal<number | null>(null)
  const input = useRef<HTMLInputElement>(null)
  const id = useId()
  useEffect(() => {
    // the URL follows a search of this field a moment later: what was typed since then stays
    if (formatQuery(terms.value) === query) return
    terms.value = parseQuery(query)
    typed.value = ''
    chosen.value = null
  }, [query])

  const { faults } = readQuery(terms.value, Date.now())
  const entry = readTyped(typed.value, terms.value, known)
  const { suggestions } = entry
  const selected = chosen.value === null ? entry.preselected : (suggestions[chosen.value] ?? null)
  const place = selected === null ? -1 : suggestions.indexOf(selected)

  const type = (text: string) => {
    typed.value = text
    chosen.value = null
    onType(parseQuery(text)[0] ?? null)
  }
  const search = (all: readonly Term[]) => {
    terms.value = all
    type('')
    void onSearch(formatQuery(all))
  }
  const take = ({ text, isWhole }: Suggestion) => {
    if (isWhole) search(withTerms(terms.value, parseQuery(text)))
    else type(text)
    input.current?.focus()
  }
  /** Moves a term into the field for editing; it stays part of the search until it is changed. */
  const open = (at: number) => {
    const term = terms.value[at]
    if (term === undefined) return
    const others = terms.value.filter((_, i) => i !== at)
    // one that was opened before it goes back
    terms.value = withTerms(others, parseQuery(typed.value))
    type(formatTerm(term))
    input.current?.focus()
  }
  const remove = (at: number) => {
    search(terms.value.filter((_, i) => i !== at))
    input.current?.focus()
  }
  const move = (step: number) => {
    const { length } = suggestions
    if (length > 0) chosen.value = place < 0 && step < 0 ? length - 1 : (place + step + length) % length
  }
  const searchTyped = () => search(withTerms(terms.value, parseQuery(typed.value)))
  const restore = () => {
    terms.value = parseQuery(query)
    type('')
    input.current?.blur()
  }
  // a space ends a term, but not within quotes
  const isEnded = entry.isWhole && !typed.value.includes('"')
  const opensLast = typed.value === '' && terms.value.length > 0
  /** What a key does now; false: what it does in any text field. */
  const keys: Readonly<Record<string, (() => void) | false>> = {
    ArrowDown: () => move(1),
    ArrowUp: () => move(-1),
    Enter: () => (selected === null ? searchTyped() : take(selected)),
    ' ': isEnded && searchTyped,
    Backspace: opensLast && (() => open(terms.value.length - 1)),
    Escape: restore,
  }
  const press = (event: KeyboardEvent) => {
    const act = keys[event.key] ?? false
    if (act === false) return
    event.preventDefault()
    act()
  }
  const faulty = faults.flatMap((fault, i) => {
    const term = terms.value[i]
    return fault === null || term === undefined ? [] : [{ fault, term }]
  })
  if (entry.isUnknown && entry.term !== null) faulty.push({ fault: 'unknown', term: entry.term })

  return (
    <div class="query" role="search">
      <div class="query-line">
        <Icon name="search" />
        {terms.value.map((term, i) => (
          <TermChip
            key={`${i} ${formatTerm(term)}`}
            term={term}
            isBad={faults[i] !== null}
            onOpen={() => open(i)}
            onRemove={() => remove(i)}
          />
        ))}
        <input
          ref={input}
          name="q"
          class={entry.isUnknown ? 'mono bad' : 'mono'}
          role="combobox"
          aria-label={t.decisions.search}
          aria-expanded={suggestions.length > 0}
          aria-controls={`${id}-options`}
          aria-autocomplete="list"
          aria-activedescendant={selected === null ? undefined : `${id}-${place}`}
          aria-invalid={faulty.length > 0 || undefined}
          aria-describedby={faulty.length > 0 ? `${id}-faults` : undefined}
          placeholder={terms.value.length === 0 ? t.decisions.placeholder : undefined}
          autocomplete="off"
          autocapitalize="off"
          spellcheck={false}
          maxLength={1_000}
          value={typed.value}
          onInput={({ currentTarget }) => type(currentTarget.value)}
          onKeyDown={press}
        />
        <kbd aria-hidden="true">/</kbd>
      </div>
      {faulty.length > 0 && (
        <div class="fault" id={`${id}-faults`} role="alert">
          {faulty.map(({ fault, term }, i) => (
            <p key={`${i} ${formatTerm(term)}`}>{t.decisions.faults(fault, formatTerm(term), term.name ?? '')}</p>
          ))}
        </div>
      )}
      <Suggestions
        id={id}
        caption={t.decisions.suggestion(entry.term?.name ?? null)}
        options={suggestions}
        selected={selected}
        onTake={take}
      />
    </div>
  )
}

/** A term of the search, to open for editing and to remove. */
const TermChip = ({
  term,
  isBad,
  onOpen,
  onRemove,
}: {
  readonly term: Term
  readonly isBad: boolean
  readonly onOpen: () => unknown
  readonly onRemove: () => unknown
}) => {
  const text = formatTerm(term)
  return (
    <span class={isBad ? 'chip bad' : 'chip'}>
      <button type="button" onClick={onOpen} aria-label={t.decisions.change(text)}>
        {term.name !== null && <span class="host">{term.name}:</span>}
        {term.name === null ? text : text.slice(term.name.length + 1)}
      </button>
      <button type="button" onClick={onRemove} aria-label={t.decisions.remove(text)}>
        <Icon name="close" />
      </button>
    </span>
  )
}

/** The list of the field with this id. */
const Suggestions = ({
  id,
  caption,
  options,
  selected,
  onTake,
}: {
  readonly id: string
  readonly caption: string
  readonly options: readonly Suggestion[]
  readonly selected: Suggestion | null
  readonly onTake: (option: Suggestion) => unknown
}) => (
  <div class="suggestions" hidden={options.length === 0}>
    <span class="caption" aria-hidden="true">
      {caption}
    </span>
    <div role="listbox" id={`${id}-options`} aria-label={t.decisions.suggestions}>
      {options.map((option, i) => (
        <div
          key={option.text}
          id={`${id}-${i}`}
          role="option"
          aria-selected={option === selected}
          // keeps the focus in the field
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => onTake(option)}
        >
          <span class="mono">{option.text}</span>
          {option.hint !== undefined && <span class="caption">{option.hint}</span>}
          {option === selected && <kbd aria-hidden="true">Enter</kbd>}
        </div>
      ))}
    </div>
  </div>
)
