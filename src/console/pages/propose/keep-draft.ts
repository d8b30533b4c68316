import { useSignal } from '@preact/signals'
import type { Signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'

import { userId } from '../../session'
import { isChanged } from './draft'
import type { Draft } from './draft'
import { draftInHash, draftText, parseDraft } from './kept-draft'
import type { KeptDraft } from './kept-draft'

/** The key of the user's own draft: several people may use one browser. */
const key = (): string => `policy-draft-${userId()}`

export const storedDraft = (): KeptDraft | null => parseDraft(localStorage.getItem(key()) ?? '')

/** The draft in the URL, which is taken out of it: reloading the page goes on with the stored one. */
export const takeSentDraft = (): KeptDraft | null => {
  const sent = draftInHash(location.hash)
  if (sent !== null) history.replaceState(null, '', location.pathname)
  return sent
}

export const isBlank = (draft: Draft): boolean => !draft.rows.some(isChanged) && draft.reason === ''

/** The time of storing; null if the browser has no room. */
const keepText = (text: string): Date | null => {
  try {
    localStorage.setItem(key(), text)
    return new Date()
  } catch {
    return null
  }
}
export const forgetDraft = (): void => localStorage.removeItem(key())

/** Stores a draft across reloads. Returns when it was stored; null if it is not. */
export const useKept = (draft: Signal<Draft>): Signal<Date | null> => {
  const at = useSignal<Date | null>(null)
  const { value } = draft
  useEffect(() => {
    const isEmpty = isBlank(value)
    if (isEmpty) forgetDraft()
    at.value = isEmpty ? null : keepText(draftText(value))
  }, [value])
  return at
}
