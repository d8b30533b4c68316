import type { z } from 'zod'

import type { Fault } from '../domain/refusal.js'

const TYPES: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  int: 'an integer',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
}

const FORMATS: Readonly<Record<string, string>> = {
  email: 'an e-mail address',
  url: 'a URL',
  uuid: 'a UUID',
  date: 'a date such as 2026-11-21',
  datetime: 'a time such as 2026-11-21T05:00:00Z',
}

const UNITS: Readonly<Record<string, string>> = { string: 'character', array: 'item' }

const NOT_VALID = 'is not valid'

const mustBe = (what: string | undefined): string => (what === undefined ? NOT_VALID : `must be ${what}`)

const mustBeOneOf = (values: readonly unknown[]): string =>
  mustBe(values.length === 1 ? String(values[0]) : `one of ${values.join(', ')}`)

/** Bounds the length of a text or a list, or the value of a number. */
const mustReach = (origin: string, how: string, bound: number | bigint): string => {
  const unit = UNITS[origin]
  return unit === undefined
    ? mustBe(`${how} ${bound}`)
    : `must have ${how} ${bound} ${unit}${Number(bound) === 1 ? '' : 's'}`
}

/** Combines the messages of a union's members, without those that another one already includes. */
const anyOf = (kinds: readonly (readonly z.core.$ZodIssue[])[]): string => {
  const each = new Set(
    kinds.flatMap(([first]) => (first === undefined ? [] : [[...first.path, first.message].join(' ')])),
  )
  const said = [...each].filter((text) => ![...each].some((other) => other !== text && other.startsWith(text)))
  if (said.length === 0) return NOT_VALID
  return said.every((text) => text.startsWith('must be '))
    ? mustBe(said.map((text) => text.slice('must be '.length)).join(' or '))
    : said.join(', or ')
}

/** The message for a fault whose schema has none. Contains neither patterns nor TypeScript type names. */
export const faultMessage: z.core.$ZodErrorMap = (issue) => {
  if (issue.input === undefined) return (issue.path ?? []).length === 0 ? 'a body is required' : 'is required'
  switch (issue.code) {
    case 'invalid_type':
      return mustBe(TYPES[issue.expected])
    case 'too_small':
      return mustReach(
        issue.origin,
        issue.exact ? 'exactly' : issue.inclusive ? 'at least' : 'more than',
        issue.minimum,
      )
    case 'too_big':
      return mustReach(issue.origin, issue.exact ? 'exactly' : issue.inclusive ? 'at most' : 'less than', issue.maximum)
    case 'invalid_value':
      return mustBeOneOf(issue.values)
    case 'invalid_format':
      return mustBe(FORMATS[issue.format])
    case 'not_multiple_of':
      return mustBe(`a multiple of ${issue.divisor}`)
    case 'unrecognized_keys':
      return 'is not a field that may be set here'
    case 'invalid_union':
      return Array.isArray(issue.options) ? mustBeOneOf(issue.options) : anyOf(issue.errors)
    default:
      return NOT_VALID
  }
}

/** The same, with another message for a name that the schema does not have. */
export const faultMessageWith =
  (unknownName: string): z.core.$ZodErrorMap =>
  (issue) =>
    issue.code === 'unrecognized_keys' ? unknownName : faultMessage(issue)

/** Every fault, each with its field. */
export const faultsOf = (error: z.ZodError): Fault[] =>
  error.issues.flatMap((issue): Fault[] =>
    issue.code === 'unrecognized_keys'
      ? issue.keys.map((key) => ({ field: [...issue.path, key].join('.'), message: issue.message }))
      : [{ field: issue.path.join('.'), message: issue.message }],
  )
