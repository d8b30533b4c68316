import { useSignal, type Signal } from '@preact/signals'
import type { RefObject } from 'preact'
import { useEffect, useState } from 'preact/hooks'

import type { Policy } from '../../api'
import { textIn } from '../../parts/narrow'
import { policyRowIn } from '../../parts/policy/row'
import { forget, store, stored } from '../../parts/stored'
import { userId } from '../../session'
import { draftOf, editAgain, editsIn, isChanged, type Commented, type Draft } from './draft'
import { draftInHash, draftText, parseDraft, type KeptDraft } from './kept-draft'

/** A draft from a link (`isSent`) or from a file. */
interface Offered {
  readonly kept: KeptDraft
  readonly isSent: boolean
}

/** The key of the user's own draft: several people may use one browser. */
const key = (): string => `policy-draft-${userId()}`

const storedDraft = (): KeptDraft | null => parseDraft(stored(key()) ?? '')

/** The draft in the URL, which is taken out of it: reloading the page goes on with the stored one. */
const takeSentDraft = (): KeptDraft | null => {
  const sent = draftInHash(location.hash)
  if (sent !== null) history.replaceState(null, '', location.pathname)
  return sent
}

const isBlank = (draft: Draft): boolean => !draft.rows.some(isChanged) && draft.reason === ''

const forgetDraft = (): void => forget(key())

/** Stores a draft across reloads. Returns when it was stored; null if it is not. */
const useKept = (draft: Signal<Draft>): Signal<Date | null> => {
  const at = useSignal<Date | null>(null)
  const { value } = draft
  useEffect(() => {
    const isEmpty = isBlank(value)
    if (isEmpty) forgetDraft()
    at.value = !isEmpty && store(key(), draftText(value)) ? new Date() : null
  }, [value])
  return at
}

const commentedRows = ({ rows }: Policy): readonly Commented[] =>
  rows.flatMap((sent) => {
    const row = policyRowIn(sent)
    return row === null ? [] : [{ row, comment: textIn(sent['comment']) ?? '' }]
  })

/** Applies the edits of a stored, sent or opened draft to the rows in force. */
const readAgain = (policy: Policy, { edits, reason }: Pick<KeptDraft, 'edits' | 'reason'>) =>
  editAgain(policy.revision, commentedRows(policy), edits, reason)

/**
 * The draft stored in this browser, applied to the rows in force, or one from the link that led here. `latest` holds
 * this page's draft; a newer revision continues from that, because another tab may have replaced the stored one.
 */
export const useDraft = (policy: Policy, latest: RefObject<Draft | null>) => {
  const [first] = useState(() => {
    const { current } = latest
    const begun = current === null ? storedDraft() : { edits: editsIn(current), reason: current.reason }
    return readAgain(policy, begun ?? { edits: [], reason: '' })
  })
  const draft = useSignal(first.draft)
  latest.current = draft.value
  /** edits of rows that somebody else has changed or removed */
  const lost = useSignal(first.lost)
  /** the revision on which a draft from a link was written */
  const sentFrom = useSignal<number | null>(null)
  /** a draft from elsewhere that would take the place of the user's own: the user decides */
  const offered = useSignal<Offered | null>(null)
  const keptAt = useKept(draft)

  const take = ({ kept, isSent }: Offered) => {
    const again = readAgain(policy, kept)
    draft.value = again.draft
    lost.value = again.lost
    sentFrom.value = isSent ? kept.revision : null
    offered.value = null
  }
  const offer = (given: Offered) => {
    const mine = draft.peek()
    const isSame = draftText(mine) === draftText(readAgain(policy, given.kept).draft)
    if (isBlank(mine) || isSame) take(given)
    else offered.value = given
  }
  useEffect(() => {
    const look = () => {
      const kept = takeSentDraft()
      if (kept !== null) offer({ kept, isSent: true })
    }
    look()
    // a draft pasted into the URL of this page
    addEventListener('hashchange', look)
    return () => removeEventListener('hashchange', look)
  }, [])

  /** Starts again from the rows in force. */
  const clear = () => {
    draft.value = draftOf(policy.revision, commentedRows(policy))
    lost.value = []
    sentFrom.value = null
    forgetDraft()
  }
  return { draft, lost, sentFrom, keptAt, offered, offer, take, clear }
}
export type UsedDraft = ReturnType<typeof useDraft>
