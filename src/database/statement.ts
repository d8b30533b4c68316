/** One SQL statement. With a name it is prepared once per connection. */
export interface Statement {
  readonly text: string
  /** scalars, and arrays of them */
  readonly values?: readonly unknown[]
  readonly name?: string
}
