/** The fields of a link in an import, by our names. */
export const FIELDS = [
  'id',
  'code',
  'target',
  'owner_id',
  'created_at',
  'updated_at',
  'title',
  'note',
  'tags',
  'status',
  'active',
  'starts_at',
  'expires_at',
  'max_visits',
  'has_password',
  'forward_query',
  'password',
] as const
export type Field = (typeof FIELDS)[number]

/** The columns of reasons in files of refused records; the second one if the first one is mapped to a field. */
export const REASONS = ['reason', 'refused because'] as const

/** A link as unchecked texts, by our field names. An empty text means none. */
export type Words = { readonly [Name in Field]?: string }

/** The text of the first non-empty of these columns; empty if there is none. Names in the form of `columnName`. */
export type Cell = (...columns: readonly string[]) => string

/**
 * A format of another program, or our own. Pure: it only maps its columns to our fields. The rules for fields are the
 * same for all formats (to-link.ts).
 */
export interface ImportFormat {
  /** description of the file, for `--help` */
  readonly what: string
  /** a CSV needs at least one of these columns for each of these fields */
  readonly needs: { readonly [Name in Field]?: readonly string[] }
  /** true if the file may be a database table, where `NULL` and `\\N` mean no value */
  readonly isTable?: true
  /** The links of one record, usually one, or the reason why there is none. */
  readonly read: (cell: Cell) => readonly Words[] | { readonly reason: string }
}

/** Normalizes a column name: `Long URL`, `long_url` and `longUrl` are the same. */
export const columnName = (text: string): string => text.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '')

/** A longer text is no short URL. */
const LONGEST_URL = 2_048

/**
 * The code in a short URL, with or without its scheme. Any other text is already a code. Without a scheme, a host needs
 * a dot or a port: `spring/sale` is not the code `sale`, and is refused unchanged.
 */
export const codeOf = (text: string): string => {
  // the pattern takes time by the square of the length, and more if a line break could make it fail (hence the s)
  if (text.length > LONGEST_URL) return text
  const path = /^(?:https?:\/\/[^/]*|[^/]*[.:][^/]*)?\/([^?#]*?)\/*(?:[?#].*)?$/is.exec(text)?.[1]
  if (path === undefined) return text
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}
