import { signal, useSignal } from '@preact/signals'
import { useEffect, useMemo } from 'preact/hooks'

import { api } from '../api'
import { problemIn } from './loaded'
import type { Right } from './rights'

/** The caller's rights to the links on the screen, by action. */
export type LinkRights = Readonly<Record<string, Right>>

/** The most codes in one request. */
const MOST_ASKED = 100

/**
 * Loads what the caller may do to these links, and without a link, from the policy: one request for up to a hundred
 * links. Rights depend on the owner: a page of one link passes its `owner`, and they are loaded again for another one.
 */
export const useLinkRights = (codes: readonly string[], owner: string | null = null) => {
  const links = useMemo(() => signal<ReadonlyMap<string, LinkRights>>(new Map()), [owner])
  const service = useSignal<LinkRights>({})
  const asked = codes.filter((code) => !links.value.has(code)).slice(0, MOST_ASKED)
  useEffect(() => {
    if (asked.length === 0 && Object.keys(service.peek()).length > 0) return undefined
    const ended = new AbortController()
    const ask = async () => {
      const answer = await api.getOwnRights({ codes: asked }, { signal: ended.signal })
      const answered = new Map<string, LinkRights>(answer.links.map(({ code, rights }) => [code, rights]))
      // an unknown code has no rights, and is not requested again
      links.value = new Map([...links.peek(), ...asked.map((code) => [code, answered.get(code) ?? {}] as const)])
      service.value = answer.service
    }
    // without a response, every button is enabled, and the service refuses what it must
    ask().catch((error: unknown) => ended.signal.aborted || problemIn(error))
    return () => ended.abort()
  }, [asked.join(' '), owner])
  return { links, service }
}
