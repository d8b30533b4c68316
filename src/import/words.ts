/** The fields of a link in an import, in our words. */
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

/** A link as texts in our words, before any rule: an empty text is none. */
export type Words = { readonly [Name in Field]?: string }

/** The text in the first of these columns that has one; empty without. Names as `columnName` writes them. */
export type Cell = (...columns: readonly string[]) => string

/**
 * A format of another program, or our own. Pure: it only says which of its columns is which of our fields; what a field
 * may hold is one rule for all (to-link.ts).
 */
export interface ImportFormat {
  /** what the file is, for `--help` */
  readonly what: string
  /** a CSV needs at least one of these columns for each of these fields */
  readonly needs: { readonly [Name in Field]?: readonly string[] }
  /** true where the file may be a table of a database, in which `NULL` and `\\N` mean no value */
  readonly isTable?: true
  /** The links of one record, mostly one, or why it is none. */
  readonly read: (cell: Cell) => readonly Words[] | { readonly reason: string }
}

/** How columns are compared: `Long URL`, `long_url` and `longUrl` are one. */
export const columnName = (text: string): string => text.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '')

/**
 * The code in a short URL, with or without its scheme and host; a text that is no URL is a code already. Without a
 * scheme a host has a dot or a port: `spring/sale` is no code `sale`, and is refused as it stands.
 */
export const codeOf = (text: string): string => {
  const path = /^(?:https?:\/\/[^/]*|[^/]*[.:][^/]*)?\/([^?#]*?)\/*(?:[?#].*)?$/i.exec(text)?.[1]
  if (path === undefined) return text
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}
