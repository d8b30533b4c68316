import { expect } from 'chai'
import { z } from 'zod'

import { Refusal } from '../../src/domain/refusal.js'
import { parseInput, parseQuery, requireNoQuery } from '../../src/input/input.js'

/** The faults of a refusal, each with its field. */
const faultsOf = (work: () => unknown): readonly string[] => {
  try {
    work()
  } catch (error) {
    if (error instanceof Refusal) return (error.errors ?? []).map(({ field, message }) => `${field}: ${message}`)
    throw error
  }
  return []
}

const OBJECT = z.strictObject({ name: z.string() })

describe('the fault of an input', () => {
  const CASES: readonly (readonly [string, z.ZodType, unknown, string])[] = [
    ['that is missing', z.string(), undefined, 'is required'],
    ['that is missing, of a list of values', z.enum(['csv', 'ndjson']), undefined, 'is required'],
    ['that is missing, of one of two kinds', z.union([z.string(), z.number()]), undefined, 'is required'],
    ['that is null', z.string(), null, 'must be a string'],
    ['of another type: a text', z.string(), 7, 'must be a string'],
    ['of another type: a number', z.number(), 'x', 'must be a number'],
    ['of another type: an integer', z.int(), 'x', 'must be a number'],
    ['with a fraction', z.int(), 1.5, 'must be an integer'],
    ['beyond what a number holds', z.int(), 1e300, 'must be at most 9007199254740991'],
    ['of another type: a truth value', z.boolean(), 'x', 'must be true or false'],
    ['of another type: a list', z.array(z.string()), {}, 'must be a list'],
    ['of another type: an object', OBJECT, [], 'must be an object'],
    ['of another type: an object with any names', z.record(z.string(), z.string()), 7, 'must be an object'],
    ['that is an empty text', z.string().min(1), '', 'must have at least 1 character'],
    ['that is too short', z.string().min(8), 'x', 'must have at least 8 characters'],
    ['that is too long', z.string().max(2), 'xyz', 'must have at most 2 characters'],
    ['of another length', z.string().length(2), 'xyz', 'must have exactly 2 characters'],
    ['that is too small', z.number().min(3), 1, 'must be at least 3'],
    ['that is too big', z.number().max(3), 4, 'must be at most 3'],
    ['that is not more', z.number().gt(3), 3, 'must be more than 3'],
    ['that is not less', z.number().lt(3), 3, 'must be less than 3'],
    ['of the wrong step', z.number().multipleOf(5), 3, 'must be a multiple of 5'],
    ['with too few items', z.array(z.string()).min(1), [], 'must have at least 1 item'],
    ['with too many items', z.array(z.string()).max(1), ['a', 'b'], 'must have at most 1 item'],
    ['that is none of the values', z.enum(['csv', 'ndjson']), 'xml', 'must be one of csv, ndjson'],
    ['that is not the value', z.literal('password'), 'x', 'must be password'],
    ['that is no e-mail address', z.email(), 'x', 'must be an e-mail address'],
    ['that is no URL', z.url(), 'x', 'must be a URL'],
    ['that is no UUID', z.uuid(), 'x', 'must be a UUID'],
    ['that is no date', z.iso.date(), 'x', 'must be a date such as 2026-11-21'],
    ['that is no time', z.iso.datetime(), 'x', 'must be a time such as 2026-11-21T05:00:00Z'],
    [
      'that is neither',
      z.union([z.iso.date(), z.iso.datetime()]),
      'x',
      'must be a date such as 2026-11-21 or a time such as 2026-11-21T05:00:00Z',
    ],
    ['that is neither, one of which says all', z.union([z.boolean(), z.literal('true')]), 7, 'must be true or false'],
    [
      'of no kind that there is',
      z.discriminatedUnion('kind', [
        z.object({ kind: z.literal('a') }),
        z.object({ kind: z.literal('b'), name: z.string() }),
      ]),
      { kind: 'c' },
      'must be one of a, b',
    ],
    [
      'that is like neither of two objects',
      z.union([OBJECT, z.array(OBJECT)]),
      {},
      'name is required, or must be a list',
    ],
    ['with a pattern, which nobody reads', z.string().regex(/^[a-z]+$/), '7', 'is not valid'],
    ['with a rule without words', z.string().refine(() => false), 'x', 'is not valid'],
    ['that its schema describes', z.string().regex(/^[a-z]+$/, 'must be a word'), '7', 'must be a word'],
    ['that its schema describes whatever it is', z.string('must be a word'), 7, 'must be a word'],
  ]
  for (const [what, schema, value, message] of CASES)
    it(`${what}: ${message}`, () => {
      const [fault = '', ...others] = faultsOf(() =>
        parseInput({ list: [{ field: value }] }, z.object({ list: z.array(z.object({ field: schema })) })),
      )
      expect(others).to.deep.equal([])
      expect(fault.replace(/^list\.0\.field(\.kind)?: /, '')).to.equal(message)
    })

  it('says of a whole body that there is none, or what it must be', () => {
    expect(faultsOf(() => parseInput(undefined, OBJECT))).to.deep.equal([': a body is required'])
    expect(faultsOf(() => parseInput([], OBJECT))).to.deep.equal([': must be an object'])
  })

  it('names what there is not, in a body and in a query', () => {
    expect(faultsOf(() => parseInput({ name: 'x', age: 7, size: 3 }, OBJECT))).to.deep.equal([
      'age: is not a field that may be set here',
      'size: is not a field that may be set here',
    ])
    expect(faultsOf(() => parseQuery('name=x&age=7', OBJECT))).to.deep.equal(['age: is not a parameter here'])
    expect(faultsOf(() => parseQuery('', OBJECT))).to.deep.equal(['name: is required'])
    expect(faultsOf(() => requireNoQuery('age=7'))).to.deep.equal(['age: is not a parameter here'])
  })
})
