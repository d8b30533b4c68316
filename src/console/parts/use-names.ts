import { useRef } from 'preact/hooks'

import { api } from '../api'
import { t } from '../language/language'
import { userId } from '../session'
import { problemIn, useLoaded } from './loaded'
import { untilAnswered } from './reconnect'
import { may } from './service-rights'

/** Deleted users, and users whom the caller may not see, have no known name. */
const nameOf = async (id: string, signal: AbortSignal): Promise<string | null> => {
  try {
    return (await untilAnswered(() => api.getUser(id, { signal }), signal)).name
  } catch (error) {
    signal.throwIfAborted()
    problemIn(error)
    return null
  }
}

/** The name of a user; null: nobody. */
export type NameOf = (id: string | null) => string

/** Names users: "you", their name if the caller may read users, or else their id. */
export const useNames = (ids: readonly (string | null)[]): NameOf => {
  // only once it is known: a name that may not be read would add a refusal to the log
  const mayReadUsers = may('user:read')
  const others = [...new Set(ids)]
    .filter((id) => id !== null)
    .filter((id) => id !== userId())
    .sort()
  /** a growing list requests only new ids; null: unknown */
  const known = useRef(new Map<string, string | null>())
  const { value: names } = useLoaded(
    async (signal) => {
      const asked = mayReadUsers ? others.filter((id) => !known.current.has(id)) : []
      const names = await Promise.all(asked.map((id) => nameOf(id, signal)))
      for (const [i, id] of asked.entries()) known.current.set(id, names[i] ?? null)
      return new Map(known.current)
    },
    [mayReadUsers, others.join()],
  )
  return (id) => {
    if (id === null) return t.link.nobody
    if (id === userId()) return t.link.you
    return names?.get(id) ?? t.link.user(id)
  }
}
