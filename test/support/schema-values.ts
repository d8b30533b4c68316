import { at, listAt } from './json.js'
import type { random } from './random.js'

type Random = ReturnType<typeof random>

/** Texts that programs trip over, none of which any schema asks for. */
const AWKWARD: readonly [string, ...string[]] = [
  '',
  ' ',
  '\0',
  'a\0b',
  'null',
  'true',
  '-1',
  '0',
  '1e400',
  '00',
  '١٢',
  'é',
  '𝕏',
  '\u202e',
  '\ud800',
  '\u2028',
  '\ufeff',
  '%00',
  '%',
  '..',
  "' or 1=1 --",
  '${x}',
  '{{7*7}}',
  '<script>',
  '\r\nX-Injected: 1',
  '\u001b[31m',
  'https://example.com/',
  'javascript:alert(1)',
  'http://user:pass@example.com/',
  '2026-02-30T00:00:00Z',
  '0000-00-00T00:00:00Z',
  '9999-12-31T23:59:59.999999999Z',
  '-271821-04-20T00:00:00Z',
  '9223372036854775807',
  '9223372036854775808',
  '9'.repeat(40),
  'x'.repeat(300),
  'x'.repeat(5_000),
]
const NUMBERS: readonly [number, ...number[]] = [0, -1, 1, 0.5, -0.5, 2 ** 31, 2 ** 53, -(2 ** 63), 1e308, 5e-324]

export const awkwardText = ({ pick }: Random): string => pick(AWKWARD)

/** Any JSON value, mostly of a kind that nobody asked for. */
export const awkwardValue = (chance: Random): unknown => {
  switch (chance.integer(0, 8)) {
    case 0:
      return null
    case 1:
      return chance.integer(0, 1) === 1
    case 2:
      return chance.pick(NUMBERS)
    case 3:
      return []
    case 4:
      return [awkwardText(chance), null, {}]
    case 5:
      return {}
    case 6:
      return { [chance.pick(['__proto__', 'constructor', 'toString', 'role', 'id', ''])]: awkwardText(chance) }
    case 7:
      return Array.from({ length: 200 }, () => 'x')
    default:
      return awkwardText(chance)
  }
}

const number = (value: unknown): number | undefined => (typeof value === 'number' ? value : undefined)

/** A text at a bound of its schema, on either side of it, or beyond all of them. */
const textOf = (schema: unknown, chance: Random): string => {
  const shortest = number(at(schema, 'minLength')) ?? 0
  const longest = number(at(schema, 'maxLength')) ?? 64
  const bounds = [shortest - 1, shortest, shortest + 1, longest - 1, longest, longest + 1].filter(
    (length) => length >= 0 && length < 10_000,
  )
  const length = bounds[chance.integer(0, bounds.length - 1)] ?? 0
  switch (chance.integer(0, 5)) {
    case 0:
      return awkwardText(chance)
    case 1:
      return String(chance.integer(0, 1_000_000))
    case 2:
      return at(schema, 'format') === 'date-time'
        ? new Date(chance.integer(0, 2_000_000_000_000)).toISOString()
        : 'é'.repeat(length)
    case 3:
      return at(schema, 'format') === 'uri' ? `https://example.com/${'x'.repeat(length)}` : 'x'.repeat(length)
    default:
      return `fz${'x'.repeat(Math.max(0, length - 2))}`
  }
}

/**
 * A value of a JSON schema at or beyond its bounds, or one that has nothing to do with it. `document` resolves
 * references.
 */
export const valueOf = (schema: unknown, document: unknown, chance: Random, depth = 0): unknown => {
  if (depth > 6 || chance.integer(0, 11) === 0) return awkwardValue(chance)
  const reference = at(schema, '$ref')
  if (typeof reference === 'string')
    return valueOf(at(document, ...reference.replace('#/', '').split('/')), document, chance, depth + 1)
  if (at(schema, 'const') !== undefined) return at(schema, 'const')
  const choices = at(schema, 'enum') ?? at(schema, 'anyOf') ?? at(schema, 'oneOf')
  if (Array.isArray(choices) && choices.length > 0) {
    const choice: unknown = choices[chance.integer(0, choices.length - 1)]
    return at(schema, 'enum') === undefined ? valueOf(choice, document, chance, depth + 1) : choice
  }
  switch (at(schema, 'type')) {
    case 'string':
      return textOf(schema, chance)
    case 'boolean':
      return chance.integer(0, 1) === 1
    case 'null':
      return null
    case 'integer':
    case 'number': {
      const [least, most] = [number(at(schema, 'minimum')) ?? 0, number(at(schema, 'maximum')) ?? 100]
      return [least - 1, least, least + 0.5, most, most + 1, chance.pick(NUMBERS)][chance.integer(0, 5)]
    }
    case 'array': {
      const longest = Math.min(number(at(schema, 'maxItems')) ?? 3, 60)
      const lengths = [0, 1, 2, longest, longest + 1]
      return Array.from({ length: lengths[chance.integer(0, lengths.length - 1)] ?? 0 }, () =>
        valueOf(at(schema, 'items') ?? {}, document, chance, depth + 1),
      )
    }
    case 'object': {
      const required = at(schema, 'required') === undefined ? [] : listAt(schema, 'required')
      const members = Object.entries(Object(at(schema, 'properties') ?? {})).filter(
        ([name]) => chance.integer(0, 9) < (required.includes(name) ? 9 : 5),
      )
      const made = Object.fromEntries(members.map(([name, each]) => [name, valueOf(each, document, chance, depth + 1)]))
      return chance.integer(0, 9) === 0 ? { ...made, [awkwardText(chance)]: awkwardValue(chance) } : made
    }
    default:
      return awkwardValue(chance)
  }
}
