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

const keepText = (text: string): void => localStorage.setItem(KEY, text)
export const forgetDraft = (): void => localStorage.removeItem(KEY)

/** Keeps a draft through reloads. Answers when it was kept; null where there is nothing to keep. */
export const useKept = (draft: Signal<Draft>): Signal<Date | null> => {
  const at = useSignal<Date | null>(null)
  const { value } = draft
  useEffect(() => {
    const isEmpty = !value.rows.some(isChanged) && value.reason === ''
    if (isEmpty) forgetDraft()
    else keepText(draftText(value))
    at.value = isEmpty ? null : new Date()
  }, [value])
  return at
}
