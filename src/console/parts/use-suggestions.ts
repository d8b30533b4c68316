import { api } from '../api'
import type { User } from '../api'
import { useLoaded } from './loaded'
import { pause } from './pause'

/** How long somebody has not typed before something is suggested, in milliseconds. */
const TYPED_MS = 200
/** Suggested at a time, and typed, as far as the service reads it. */
const MOST = 20
const MOST_TYPED = 200

/** What may be meant by what is typed; what was found before stays until then. Without an answer there is nothing. */
const useSuggestions = <Item>(
  typed: string,
  find: (asked: { readonly limit: number; readonly q?: string }, signal: AbortSignal) => Promise<readonly Item[]>,
  keys: readonly unknown[] = [],
): readonly Item[] => {
  const q = typed.trim().slice(0, MOST_TYPED)
  const { state } = useLoaded(
    async (signal) => {
      await pause(TYPED_MS, signal)
      signal.throwIfAborted()
      return find({ limit: MOST, ...(q !== '' && { q }) }, signal)
    },
    [q, ...keys],
  )
  return state.value.value ?? []
}

/** Users by name or address. `typed` null: nobody is asked for, as where the caller may not read users. */
export const useUserSuggestions = (typed: string | null): readonly User[] =>
  useSuggestions(
    typed ?? '',
    async (asked, signal) => (typed === null ? [] : (await api.listUsers(asked, { signal }).page()).data),
    [typed === null],
  )

/** Links that the caller may change, by what a search of them finds. */
export const useLinkSuggestions = (typed: string) =>
  useSuggestions(typed, async (asked, signal) => (await api.listLinks(asked, { signal }).page()).data)
