import { useEffect, useRef } from 'preact/hooks'

import { Icon } from './icon'

/** How long somebody has not typed before the list is asked for, in milliseconds. */
const TYPED_MS = 200

/** Searches a list while the user types. The key `/` focuses it (`useTableKeys`). */
export const SearchField = ({
  label,
  q,
  onSearch,
}: {
  readonly label: string
  readonly q: string
  readonly onSearch: (q: string) => unknown
}) => {
  const input = useRef<HTMLInputElement>(null)
  const typing = useRef<ReturnType<typeof setTimeout> | undefined>(undefined)
  const latest = useRef(onSearch)
  latest.current = onSearch
  useEffect(() => () => clearTimeout(typing.current), [])
  useEffect(() => {
    const { current } = input
    // the URL has changed, but not because of typing here
    if (typing.current === undefined && current !== null && current.value.trim() !== q) current.value = q
  }, [q])
  const search = (text: string) => {
    const { pathname } = location
    clearTimeout(typing.current)
    typing.current = setTimeout(() => {
      typing.current = undefined
      // this page is still mounted while the next one loads
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
      <kbd aria-hidden="true">/</kbd>
    </div>
  )
}
