/** A visitor, as far as the request describes them. Used at once and never stored (docs/visits.md). */
export interface Visitor {
  readonly address: string
  /** a header by its lower-case name; undefined if it is missing or empty */
  header(name: string): string | undefined
}
