/** One SQL statement, ready to send. A name makes the server keep its plan for the connection's life. */
export interface Statement {
  readonly text: string
  /** scalars, and arrays of them */
  readonly values?: readonly unknown[]
  readonly name?: string
}
