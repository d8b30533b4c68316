import { useSignal } from '@preact/signals'
import type { Signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'

import { isChanged } from './draft'
import type { Draft } from './draft'
import { draftInHash, draftText, parseDraft } from './kept-draft'
import type { KeptDraft } from './kept-draft'

const KEY = 'policy-draft'

/** The draft that this browser has kept, or the one that the address holds: that one goes before, and is kept then. */
export const givenDraft = (): (KeptDraft & { readonly from: number | null }) | null => {
  const sent = draftInHash(location.hash)
  if (sent !== null) {
    history.replaceState(null, '', location.pathname)
    return { ...sent, from: sent.revision }
  }
  const kept = parseDraft(localStorage.getItem(KEY) ?? '')
  return kept === null ? null : { ...kept, from: null }
}

/** When it was kept; null where the browser has no room for it. */
const keepText = (text: string): Date | null => {
  try {
    localStorage.setItem(KEY, text)
    return new Date()
  } catch {
    return null
  }
}
export const forgetDraft = (): void => localStorage.removeItem(KEY)

/** Keeps a draft through reloads. Answers when it was kept; null where it is not. */
export const useKept = (draft: Signal<Draft>): Signal<Date | null> => {
  const at = useSignal<Date | null>(null)
  const { value } = draft
  useEffect(() => {
    const isEmpty = !value.rows.some(isChanged) && value.reason === ''
    if (isEmpty) forgetDraft()
    at.value = isEmpty ? null : keepText(draftText(value))
  }, [value])
  return at
}
