/** Who follows a link, as far as the request says. Read at once and never stored (docs/visits.md). */
export interface Visitor {
  readonly address: string
  /** a header by its lower-case name; undefined where it is missing or empty */
  header(name: string): string | undefined
}
