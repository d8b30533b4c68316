import { useSignal } from '@preact/signals'
import { useEffect, useState } from 'preact/hooks'

import type { Policy } from '../../api'
import { textIn } from '../../parts/narrow'
import { policyRowIn } from '../../parts/policy/row'
import { draftOf, editAgain } from './draft'
import type { Commented } from './draft'
import { forgetDraft, isBlank, storedDraft, takeSentDraft, useKept } from './keep-draft'
import { draftText } from './kept-draft'
import type { KeptDraft } from './kept-draft'

/** A draft from a link (`isSent`) or from a file. */
interface Offered {
  readonly kept: KeptDraft
  readonly isSent: boolean
}

const commentedRows = ({ rows }: Policy): readonly Commented[] =>
  rows.flatMap((sent) => {
    const row = policyRowIn(sent)
    return row === null ? [] : [{ row, comment: textIn(sent['comment']) ?? '' }]
  })

/** Applies the edits of a stored, sent or opened draft to the rows in force. */
const readAgain = (policy: Policy, { edits, reason }: Pick<KeptDraft, 'edits' | 'reason'>) =>
  editAgain(policy.revision, commentedRows(policy), edits, reason)

/** The draft stored in this browser, applied to the rows in force, or one from the link that led here. */
export const useDraft = (policy: Policy) => {
  const [first] = useState(() => readAgain(policy, storedDraft() ?? { edits: [], reason: '' }))
  const draft = useSignal(first.draft)
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
