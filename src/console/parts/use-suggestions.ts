import { api, type User } from '../api'
import { useLoaded } from './loaded'
import { wait } from './pause'
import { may } from './service-rights'

/** How long after the last key suggestions are loaded, in milliseconds. */
const TYPED_MS = 200
/** The most suggestions, and the longest text that the service reads. */
const MOST = 20
const MOST_TYPED = 200

/** Suggestions for the typed text; earlier ones stay visible while loading. Without a response there are none. */
const useSuggestions = <Item>(
  typed: string,
  find: (asked: { readonly limit: number; readonly q?: string }, signal: AbortSignal) => Promise<readonly Item[]>,
  keys: readonly unknown[] = [],
): readonly Item[] => {
  const q = typed.trim().slice(0, MOST_TYPED)
  const { value } = useLoaded(
    async (signal) => {
      await wait(TYPED_MS, signal)
      return find({ limit: MOST, ...(q !== '' && { q }) }, signal)
    },
    [q, ...keys],
  )
  return value ?? []
}

/** Users by name or address, if the caller may read users. `typed` null: no request. */
export const useUserSuggestions = (typed: string | null): readonly User[] => {
  const isAsked = typed !== null && may('user:read')
  return useSuggestions(
    typed ?? '',
    async (asked, signal) => (isAsked ? (await api.listUsers(asked, { signal }).page()).data : []),
    [isAsked],
  )
}

/** Links that the caller may change and that match a search. */
export const useLinkSuggestions = (typed: string) =>
  useSuggestions(typed, async (asked, signal) => (await api.listLinks(asked, { signal }).page()).data)
