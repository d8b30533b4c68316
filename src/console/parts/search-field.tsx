import { useEffect, useRef } from 'preact/hooks'

import { Icon } from './icon'

/** How long somebody has not typed before the list is asked for, in milliseconds. */
const TYPED_MS = 200

/** A search of a list, as somebody types. */
export const SearchField = ({
  label,
  q,
  hasKey = false,
  onSearch,
}: {
  readonly label: string
  /** what is searched for, as it stands in the address */
  readonly q: string
  /** whether `/` leads into it */
  readonly hasKey?: boolean
  readonly onSearch: (q: string) => unknown
}) => {
  const input = useRef<HTMLInputElement>(null)
  const typing = useRef<ReturnType<typeof setTimeout> | undefined>(undefined)
  const latest = useRef(onSearch)
  latest.current = onSearch
  useEffect(() => () => clearTimeout(typing.current), [])
  useEffect(() => {
    const { current } = input
    // the address has changed otherwise than by typing here
    if (typing.current === undefined && current !== null && current.value.trim() !== q) current.value = q
  }, [q])
  const search = (text: string) => {
    const { pathname } = location
    clearTimeout(typing.current)
    typing.current = setTimeout(() => {
      typing.current = undefined
      // while the next page is loaded this one is still there
      if (location.pathname === pathname) void latest.current(text.trim())
    }, TYPED_MS)
  }
  return (
    <div class="search">
      <Icon name="search" />
      <input
        ref={input}
        type="search"
        name="q"
        aria-label={label}
        placeholder={label}
        defaultValue={q}
        maxLength={200}
        onInput={({ currentTarget }) => search(currentTarget.value)}
      />
      {hasKey && <kbd aria-hidden="true">/</kbd>}
    </div>
  )
}
