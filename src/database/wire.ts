import type { Statement } from './statement.js'

/** A statement with its values encoded for the wire. */
export interface WireStatement {
  readonly text: string
  readonly values: (string | Buffer | null)[]
  /** the server keeps the plan under this name for the life of the connection */
  readonly name: string | undefined
}

const encode = (value: unknown): string | Buffer | null => {
  if (value === null || typeof value === 'string' || Buffer.isBuffer(value)) return value
  if (typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean') return String(value)
  if (value instanceof Date) return value.toISOString()
  if (Array.isArray(value)) return `{${value.map(encodeElement).join(',')}}`
  throw new TypeError(`a ${typeof value} cannot be a value of a statement`)
}

/** An array element (PostgreSQL, "Array Input and Output Syntax"); quoted, so that the text `null` is not a null. */
const encodeElement = (value: unknown): string => {
  if (typeof value === 'number') return String(value)
  const text = Array.isArray(value) ? undefined : encode(value)
  if (text === null) return 'null'
  if (typeof text !== 'string') throw new TypeError('an array in a statement cannot contain bytes or arrays')
  return NEEDS_ESCAPE.test(text) ? `"${text.replaceAll(/["\\]/g, '\\$&')}"` : `"${text}"`
}

const NEEDS_ESCAPE = /["\\]/

/**
 * Encodes a statement without its name. Throws for a value that cannot be sent, so that a transaction with one fails
 * before any of it is sent: the server would not see the failure and commit the rest.
 */
export const toWire = ({ text, values = [] }: Statement): WireStatement => ({
  text,
  values: values.map(encode),
  name: undefined,
})

/** Encodes a statement as a prepared one, if it has a name. */
export const toNamedWire = (statement: Statement): WireStatement => ({ ...toWire(statement), name: statement.name })
