import { signal } from '@preact/signals'
import { useEffect, useMemo } from 'preact/hooks'

import { api } from '../api'
import { problemIn } from './loaded'
import { untilAnswered } from './reconnect'
import type { Right } from './rights'

/** The caller's rights to a link, by action. */
export type LinkRights = Readonly<Record<string, Right>>

/** The most codes in one request. */
const MOST_ASKED = 100

/**
 * Loads what the caller may do to these links, by their codes, from the policy: one request for up to a hundred links.
 * Rights depend on the owner: a page of one link passes its `owner`, and they are loaded again for another one.
 */
export const useLinkRights = (
  codes: readonly string[],
  owner: string | null = null,
): ReadonlyMap<string, LinkRights> => {
  const known = useMemo(() => signal<ReadonlyMap<string, LinkRights>>(new Map()), [owner])
  const asked = codes.filter((code) => !known.value.has(code)).slice(0, MOST_ASKED)
  useEffect(() => {
    if (asked.length === 0) return undefined
    const ended = new AbortController()
    const ask = async () => {
      const { links } = await untilAnswered(
        () => api.getOwnRights({ codes: asked }, { signal: ended.signal }),
        ended.signal,
      )
      const answered = new Map<string, LinkRights>(links.map(({ code, rights }) => [code, rights]))
      // an unknown code has no rights, and is not requested again
      known.value = new Map([...known.peek(), ...asked.map((code) => [code, answered.get(code) ?? {}] as const)])
    }
    // without a response, every button is enabled, and the service refuses what it must
    ask().catch((error: unknown) => ended.signal.aborted || problemIn(error))
    return () => ended.abort()
  }, [asked.join(' '), owner])
  return known.value
}
