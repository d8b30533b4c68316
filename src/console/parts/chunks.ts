/** The most items of one request that changes many links. */
export const MOST_ITEMS = 1_000
/** The most bytes of items: a body may have 1 MiB, including what surrounds them. */
export const MOST_BYTES = 1_024 * 1_024 - 1_024

const encoder = new TextEncoder()

/** The bytes of an item as JSON, with the following comma. */
export const bytesOf = (item: object): number => encoder.encode(JSON.stringify(item)).length + 1

/** Splits items into as few parts as possible, in order, within the limits of one request. */
export const chunksOf = <Each extends { readonly item: object }>(
  all: readonly Each[],
): readonly (readonly Each[])[] => {
  const chunks: Each[][] = []
  let bytes = 0
  for (const each of all) {
    const size = bytesOf(each.item)
    const last = chunks.at(-1)
    if (last === undefined || last.length === MOST_ITEMS || bytes + size > MOST_BYTES) {
      chunks.push([each])
      bytes = size
    } else {
      last.push(each)
      bytes += size
    }
  }
  return chunks
}
