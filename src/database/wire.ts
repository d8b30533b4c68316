import type { WireStatement } from './batch.js'
import type { Statement } from './statement.js'

const wireScalar = (value: unknown): string | Buffer | null => {
  if (value === null || typeof value === 'string' || Buffer.isBuffer(value)) return value
  if (typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean') return String(value)
  if (value instanceof Date) return value.toISOString()
  throw new TypeError(`a ${typeof value} is not a value that a statement can carry`)
}

/**
 * An element of an array (PostgreSQL, "Array Input and Output Syntax"): always quoted, so that a text `null` is none.
 */
const wireElement = (value: unknown): string => {
  const text = wireScalar(value)
  if (text === null) return 'null'
  if (typeof text !== 'string') throw new TypeError('an array that a statement carries holds no bytes')
  return `"${text.replaceAll(/["\\]/g, '\\$&')}"`
}

/**
 * A value in the form in which it goes over the wire. Throws for everything else, so that a statement that cannot be
 * sent fails before any other of its transaction was: the server would never hear of it, and would commit the rest.
 */
const wireValue = (value: unknown): string | Buffer | null =>
  Array.isArray(value) ? `{${value.map(wireElement).join(',')}}` : wireScalar(value)

/** A statement in the form in which it goes over the wire, without a name. Throws where it cannot. */
export const toWire = ({ text, values = [] }: Statement): WireStatement => ({
  text,
  values: values.map(wireValue),
  name: undefined,
})

/** The same under its name. */
export const toKeptWire = ({ text, values = [], name }: Statement): WireStatement => ({
  text,
  values: values.map(wireValue),
  name,
})
