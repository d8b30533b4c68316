/** Items of one request. */
export const MOST_ITEMS = 1_000
/** Bytes of them: a body has 1 MiB, and what stands around them. */
export const MOST_BYTES = 1_024 * 1_024 - 1_024

const encoder = new TextEncoder()

/** Bytes of an item as JSON, with the comma behind it. */
export const bytesOf = (item: object): number => encoder.encode(JSON.stringify(item)).length + 1

/** In order, as few parts as there can be, none of them with more items or bytes than one request takes. */
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
