type Block<Each> =
  | { readonly is: 'row'; readonly row: Each }
  | { readonly is: 'fold'; readonly key: string; readonly rows: readonly Each[] }

/** With more rows than this, some are folded. */
const MOST_WHOLE = 40
/** How many rows next to a kept one stay visible. */
const BESIDE = 2

/** If there are many rows, folds those far from the kept ones. */
export const foldRows = <Each extends { readonly id: string }>(
  rows: readonly Each[],
  isKept: (row: Each) => boolean,
): readonly Block<Each>[] => {
  if (rows.length <= MOST_WHOLE) return rows.map((row) => ({ is: 'row', row }))
  const kept = rows.flatMap((row, at) => (isKept(row) ? [at] : []))
  const isNear = rows.map(() => false)
  for (const at of [0, rows.length - 1, ...kept])
    for (let near = at - BESIDE; near <= at + BESIDE; near += 1) if (near in isNear) isNear[near] = true
  const blocks: Block<Each>[] = []
  for (const [at, row] of rows.entries()) {
    const last = blocks.at(-1)
    if (isNear[at]) blocks.push({ is: 'row', row })
    else if (last?.is === 'fold') blocks[blocks.length - 1] = { ...last, rows: [...last.rows, row] }
    else blocks.push({ is: 'fold', key: row.id, rows: [row] })
  }
  return blocks
}
