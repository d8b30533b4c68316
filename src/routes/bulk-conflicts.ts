import { Refusal } from '../domain/refusal.js'
import { codeTaken, type BulkItem } from '../layers/4-data/bulk-links.js'

// What the items of one bulk request have to do with each other.

export const isItem = (each: BulkItem | Refusal): each is BulkItem => !(each instanceof Refusal)

/**
 * The order in which records are changed, whatever the caller's: two requests that name the same links wait for each
 * other, and are no deadlock. New links stay in the caller's order, which their ids have.
 */
export const byId = (a: BulkItem, b: BulkItem): number =>
  a.operation === 'create' || b.operation === 'create' ? 0 : Number(BigInt(a.record.id) - BigInt(b.record.id))

/** The code that an item gives to a link, if it gives one. */
export const codeOf = (item: BulkItem): string | undefined => {
  if (item.operation === 'create') return item.link.code
  return item.changes.code ?? (item.operation === 'restore' ? item.record.code : undefined)
}

/**
 * Refuses items that name a code or a link which an earlier item named, and those that want the code of another item's
 * link: whether that one has given it up by then would depend on the order of their ids.
 */
export const refuseTaken = (items: readonly (BulkItem | Refusal)[]): readonly (BulkItem | Refusal)[] => {
  const codes = new Set<string>()
  const links = new Set<string>()
  const held = new Set(items.flatMap((item) => (isItem(item) && item.operation === 'update' ? item.record.code : [])))
  const refusalOf = (item: BulkItem): Refusal | null => {
    if (item.operation !== 'create' && links.has(item.record.id)) {
      const field = item.operation === 'restore' ? 'id' : 'link'
      return new Refusal('conflict', { errors: [{ field, message: 'is named by an earlier item' }] })
    }
    const code = codeOf(item)
    if (code !== undefined && codes.has(code)) return codeTaken('is taken by an earlier item')
    if (item.operation === 'update' && code !== undefined && code !== item.record.code && held.has(code))
      return codeTaken("is the code of another item's link")
    // only now: a refused item takes neither from later ones
    if (code !== undefined) codes.add(code)
    if (item.operation !== 'create') links.add(item.record.id)
    return null
  }
  return items.map((item) => (item instanceof Refusal ? item : (refusalOf(item) ?? item)))
}
