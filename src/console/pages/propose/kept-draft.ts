import { isObject } from '../../../domain/is-object.js'
import { binaryIn, toBase64url } from '../../parts/base64url.js'
import { typedRowIn, type TypedRow } from '../../parts/policy/row.js'
import { editsIn, type Commented, type Draft, type RowEdit } from './draft.js'

/** A draft as text: in this browser, in a file, or in a URL sent to another admin. */
export interface KeptDraft {
  readonly revision: number
  readonly edits: readonly RowEdit[]
  readonly reason: string
}

const VERSION = 1
const MOST_COMMENT = 500
const MOST_REASON = 1_000

const rowIn = (value: unknown): TypedRow | null => (isObject(value) ? typedRowIn(value) : null)

const commentedIn = (value: unknown): Commented | null => {
  if (!isObject(value)) return null
  const row = rowIn(value['row'])
  const { comment } = value
  return row === null || typeof comment !== 'string' ? null : { row, comment: comment.slice(0, MOST_COMMENT) }
}

const editIn = (value: unknown): RowEdit | null => {
  if (!isObject(value)) return null
  const edit = { was: rowIn(value['was']), now: commentedIn(value['now']) }
  return edit.was === null && edit.now === null ? null : edit
}

export const draftText = (draft: Draft): string =>
  JSON.stringify({ linkgate_draft: VERSION, revision: draft.revision, reason: draft.reason, edits: editsIn(draft) })

/** Null if the text is not a draft: it may come from anybody. */
export const parseDraft = (text: string): KeptDraft | null => {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return null
  }
  if (!isObject(value) || value['linkgate_draft'] !== VERSION) return null
  const { revision, reason, edits } = value
  if (!Number.isSafeInteger(revision) || typeof reason !== 'string' || !Array.isArray(edits)) return null
  const read = edits.map(editIn)
  if (read.includes(null)) return null
  return {
    revision: Number(revision),
    reason: reason.slice(0, MOST_REASON),
    edits: read.filter((each) => each !== null),
  }
}

/** The fragment of a URL, which browsers do not send to a server. */
export const draftHash = (draft: Draft): string => `#draft=${toBase64url(new TextEncoder().encode(draftText(draft)))}`

export const draftInHash = (hash: string): KeptDraft | null => {
  const [, text] = /^#draft=([\w-]+)$/.exec(hash) ?? []
  if (text === undefined) return null
  try {
    const bytes = Uint8Array.from(binaryIn(text), (each) => each.charCodeAt(0))
    return parseDraft(new TextDecoder().decode(bytes))
  } catch {
    return null
  }
}
