import { FORMATS, type FormatName } from './formats.js'
import type { LinkStore, Outcome } from './link-store.js'
import type { RefusedFile } from './refused-file.js'
import { withSource } from './with-source.js'
import { UnreadableFile, type Source, type SourceRecord } from './source.js'
import { isKeptId, type ImportedLink, type Read } from './to-link.js'
import { ignoredColumns, missingField } from './columns.js'
import { columnName, type Field, type Words } from './words.js'
import { wordsOf } from './words-of.js'

/** The number of links in one transaction. */
const BATCH = 500
/** The size of its records as JSON, so that a batch of long records fits into memory. */
const BATCH_CHARACTERS = 1_000_000

/** So many new links slow searches down until the planner has statistics of them. */
const MANY = 5_000

export interface ImportOrder {
  readonly file: string
  readonly format: FormatName
  /** columns mapped to our fields, overriding the format; null: the column is left out */
  readonly map: ReadonlyMap<string, Field | null>
  /** the owner of all links; undefined: as each row says */
  readonly owner: string | undefined
  readonly toLink: (words: Words) => Read<ImportedLink>
  readonly store: LinkStore
  /** undefined: refused records are not kept */
  readonly refusedFile: (source: Pick<Source, 'columns' | 'dialect'>) => Promise<RefusedFile | undefined>
  readonly onProgress: (bytesRead: number, records: number) => void
  readonly onRefused: (place: string, reason: string) => void
  /** called with columns of our own format that are not fields of ours */
  readonly onIgnored: (columns: readonly string[]) => void
}

export interface ImportResult {
  readonly made: number
  /** links that already exist, from an earlier import */
  readonly unchanged: number
  /** records from which no link, or not every link, was imported */
  readonly refused: number
  /** created links without an owner */
  readonly ownerless: number
  /** why it ended before the end of the file: an UnreadableFile, or another error; undefined if it did not */
  readonly ended: unknown
  /** why refused records are missing in their file; undefined if none are */
  readonly unkept: unknown
}

/**
 * Imports a file record by record, in batches with a transaction each, in constant memory. Running it again creates
 * what an earlier run did not. Throws if the import ends before the first record: UnreadableFile if nothing of the file
 * can be read.
 */
export const importLinks = async (order: ImportOrder): Promise<ImportResult> => {
  let bytes = 0
  const read = (count: number): void => {
    bytes = count
  }
  return withSource(order.file, read, async (source) => {
    checkColumns(source.columns, order)
    const readRecord = recordReader(order)
    const refusedFile = await order.refusedFile(source)
    // Reserved ids are never given back, so this follows everything that may end the import before its first link.
    const newest = await newestId(order)
    if (newest > 0n) await order.store.reserveIds(newest)
    const writer = createWriter(order, refusedFile)
    let records = 0
    let ended: unknown
    /** the field names of JSON records; a CSV names its columns once, at its beginning */
    const names = new Set<string>()
    try {
      for await (const record of source.records) {
        records += 1
        for (const name of namesIn(record)) if (names.size < MOST_NAMES) names.add(name)
        await writer.add(readRecord(record))
        order.onProgress(bytes, records)
      }
    } catch (error) {
      if (records === 0) throw error
      ended = error
    }
    if (records === 0) throw new UnreadableFile('it has no records')
    if (source.columns === null) tellIgnored([...names], order)
    if (ended === undefined || ended instanceof UnreadableFile)
      await writer.flush().catch((error: unknown) => {
        ended = error
      })
    return { ...(await writer.end()), ended }
  })
}

/** Writes records in batches, and counts the outcomes. */
const createWriter = ({ store, onRefused }: ImportOrder, refusedFile: RefusedFile | undefined) => {
  const sum = { made: 0, unchanged: 0, refused: 0, ownerless: 0 }
  let batch: Reading[] = []
  let waiting = 0
  let characters = 0
  const count = (links: readonly ImportedLink[], outcomes: readonly Outcome[]): void => {
    for (const [at, { kind }] of outcomes.entries()) {
      if (kind === 'made' && links[at]?.owner_id === null) sum.ownerless += 1
      if (kind !== 'refused') sum[kind] += 1
    }
  }
  const flush = async (): Promise<void> => {
    const outcomes = await store.take(batch.flatMap(({ links }) => links))
    let next = 0
    for (const { record, links, reason } of batch) {
      const own = outcomes.slice(next, next + links.length)
      next += links.length
      count(links, own)
      const why = reason ?? reasonsOf(own)
      if (why === '') continue
      sum.refused += 1
      onRefused(record.place, why)
      await refusedFile?.add(record, why)
    }
    batch = []
    waiting = 0
    characters = 0
  }
  return {
    add: async (reading: Reading): Promise<void> => {
      batch.push(reading)
      waiting += Math.max(reading.links.length, 1)
      characters += JSON.stringify(reading.record.original).length
      if (waiting >= BATCH || characters >= BATCH_CHARACTERS) await flush()
    },
    flush,
    end: async () => {
      if (sum.made >= MANY) await store.analyze()
      return { ...sum, unkept: await refusedFile?.close() }
    },
  }
}

/** A record and its links, or the reason why it has none. */
interface Reading {
  readonly record: SourceRecord
  readonly links: readonly ImportedLink[]
  readonly reason: string | null
}

const recordReader = ({ format, map, owner, toLink }: ImportOrder): ((record: SourceRecord) => Reading) => {
  const taken = new Set(map.keys())
  const columns = columnsByField(map)
  return (record) => {
    const refuse = (reason: string): Reading => ({ record, links: [], reason })
    const read = wordsOf(record, FORMATS[format], columns, taken)
    if ('reason' in read) return refuse(read.reason)
    const links: ImportedLink[] = []
    for (const words of read) {
      const link = toLink({ ...words, ...(owner === undefined ? {} : { owner_id: owner }) })
      if (!link.ok) return refuse(link.reason)
      links.push(link.value)
    }
    return { record, links, reason: null }
  }
}

const columnsByField = (map: ImportOrder['map']): ReadonlyMap<Field, string> =>
  new Map([...map].flatMap(([column, field]) => (field === null ? [] : [[field, column] as const])))

const reasonsOf = (outcomes: readonly Outcome[]): string =>
  outcomes.flatMap((each) => (each.kind === 'refused' ? each.reason : [])).join('; ')

/** Throws if a CSV lacks a column that the format or the mapping needs, before anything is written. */
const checkColumns = (columns: Source['columns'], order: ImportOrder): void => {
  if (columns === null) return
  const { format, map } = order
  const there = new Set(columns.map(columnName))
  for (const column of map.keys())
    if (!there.has(column))
      throw new UnreadableFile(`--map names a column that is not in the file: ${column} (${listOf(columns)})`)
  const taken = new Set(map.keys())
  const missing = missingField(columns, FORMATS[format], new Set(columnsByField(map).keys()), taken)
  if (missing !== undefined)
    throw new UnreadableFile(
      `no column of it is the ${missing}: name one with --map "column=${missing}" (${listOf(columns)})`,
    )
  tellIgnored(columns, order)
}

/** Formats of other programs have many columns for which a link here has no field. */
const tellIgnored = (columns: readonly string[], { format, map, onIgnored }: ImportOrder): void => {
  if (format === 'csv') onIgnored(ignoredColumns(columns, new Set(map.keys())))
}

const namesIn = ({ original, fault }: SourceRecord): readonly string[] =>
  Array.isArray(original) || fault !== undefined ? [] : Object.keys(original)

/** Names kept of a JSON file: it may have others in each record. */
const MOST_NAMES = 100

const listOf = (columns: readonly string[]): string => `its columns are ${columns.join(', ')}`

/** The largest id in the file, or 0: reserved, so that no new link gets the id of a link further down. */
const newestId = async ({ file, format, map }: ImportOrder): Promise<bigint> => {
  const own = format === 'csv' && !map.has('id') ? 'id' : undefined
  const column = columnsByField(map).get('id') ?? own
  if (column === undefined) return 0n
  let newest = 0n
  await withSource(
    file,
    () => undefined,
    async ({ columns, records }) => {
      if (columns !== null && !columns.map(columnName).includes(column)) return
      try {
        for await (const { cells } of records) {
          const id = cells.get(column) ?? ''
          if (isKeptId(id) && BigInt(id) > newest) newest = BigInt(id)
        }
      } catch (error) {
        // reported later, when the links are read
        if (!(error instanceof UnreadableFile)) throw error
      }
    },
  )
  return newest
}
