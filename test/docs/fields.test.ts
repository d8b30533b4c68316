import { expect } from 'chai'

import { readApiDocument, type SchemaJson } from '../../src/docs/api-document.js'
import { clientCallOf, literal } from '../../src/docs/client-call.js'
import { fieldsOf } from '../../src/docs/fields.js'
import { boundsOf, typeOf, valuesOf } from '../../src/docs/type-words.js'

const operation = (over: object) => ({
  operationId: 'change',
  summary: 'Change',
  tags: ['things'],
  'x-layers': { gateway: { scope: 'public', quota: 'caller' }, endpoint: 'none', object: 'none', data: 'none' },
  responses: { 200: { description: 'Changed' } },
  ...over,
})

/** A document with these schemas and one operation. */
const documentOf = (schemas: Readonly<Record<string, SchemaJson>> = {}, over: object = {}) =>
  readApiDocument({
    info: { title: 'Things', version: '1' },
    servers: [{ url: 'https://things.example' }],
    tags: [{ name: 'things' }],
    paths: { '/things': { post: operation(over) } },
    components: { schemas, parameters: { Tag: { name: 'If-Match', in: 'header', required: true } } },
  })

const pathsOf = (schema: SchemaJson) => fieldsOf(schema).map(({ within, name }) => `${within}${name}`)
const text = { type: 'string' }

describe('the fields of a schema', () => {
  it('are listed however deep they stand: in objects, lists, lists of lists and maps', () => {
    const leaf = { type: 'object', properties: { b: text } }
    expect(
      pathsOf({
        type: 'object',
        properties: {
          a: leaf,
          list: { type: 'array', items: leaf },
          table: { type: 'array', items: { type: 'array', items: leaf } },
          map: { type: 'object', additionalProperties: leaf },
        },
      }),
    ).to.deep.equal(['a', 'a.b', 'list', 'list[].b', 'table', 'table[][].b', 'map', 'map.{name}.b'])
  })

  it('of one of several forms stand below what tells the forms apart', () => {
    const form = (kind: string, field: string) => ({
      type: 'object',
      properties: { kind: { const: kind }, [field]: text },
      required: [field],
    })
    const fields = fieldsOf({ oneOf: [form('x', 'a'), form('y', 'b')] })
    expect(fields.map(({ name, variant, isRequired }) => [name, variant, isRequired])).to.deep.equal([
      ['kind', 'Where kind is "x"', false],
      ['a', null, true],
      ['kind', 'Where kind is "y"', false],
      ['b', null, true],
    ])
  })

  it('of parts that all hold are those of every part', () => {
    const parts = [{ properties: { a: text } }, { properties: { b: text } }]
    expect(pathsOf({ type: 'object', properties: { own: text }, allOf: parts })).to.deep.equal(['own', 'a', 'b'])
  })

  it('of a schema that holds itself come to an end', async () => {
    const next = { $ref: '#/components/schemas/Problem' }
    const { problem } = await documentOf({ Problem: { type: 'object', properties: { name: text, next } } })
    expect(pathsOf(problem)).to.deep.equal(['name', 'next', 'next.name', 'next.next'])
  })
})

describe('a type in words', () => {
  it('names lists, maps, forms and null', () => {
    const words = (schema: SchemaJson) => typeOf(schema)
    expect(words({ type: 'array', items: text })).to.equal('array of string')
    expect(words({ type: 'object', additionalProperties: { type: 'integer' } })).to.equal('map of integer')
    expect(words({ anyOf: [{ type: 'string', format: 'uri' }, { type: 'null' }] })).to.equal('string, uri or null')
    expect(words({ type: ['string', 'null'] })).to.equal('string or null')
    expect(words({ anyOf: [{ enum: ['a'] }, { type: 'null' }] })).to.equal('null or one of')
    expect(words({})).to.equal('any')
  })

  it('says bounds as a reader says them, and values that are allowed', () => {
    const bounds = (schema: SchemaJson) => boundsOf(schema)
    expect(bounds({ minimum: 1, maximum: 1_000 })).to.deep.equal(['1 to 1,000'])
    expect(bounds({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })).to.deep.equal(['at least 0'])
    expect(bounds({ maxLength: 64 })).to.deep.equal(['at most 64 characters'])
    expect(bounds({ maxItems: 3, uniqueItems: true, items: { minLength: 2 } })).to.deep.equal([
      'at most 3 items',
      'each once',
      'each: at least 2 characters',
    ])
    expect(valuesOf({ type: 'array', items: { enum: ['a', 1, null] } })).to.deep.equal(['a', '1', 'null'])
  })
})

describe('a call of the client', () => {
  const request = { path: [], query: [], headers: [], json: undefined, form: null }

  it('has path, body, then a query beside the body and the ETag as options', async () => {
    const { operations } = await documentOf({}, { parameters: [{ $ref: '#/components/parameters/Tag' }] })
    const [change] = operations
    expect(change?.parameters.map(({ name, required }) => [name, required])).to.deep.equal([['If-Match', true]])
    expect(
      change &&
        clientCallOf(change, {
          ...request,
          path: [['id', 'a']],
          query: [['dry_run', true]],
          headers: [['If-Match', '"1"']],
          json: { b: 1 },
        }),
    ).to.equal(`await client.change('a', { b: 1 }, {\n  query: { dry_run: true },\n  ifMatch: '"1"',\n})`)
  })

  it('writes values so that they can be read back', () => {
    for (const value of [`it's`, 'a "b"', 'a\\b\n', { 'a-b': [1, null, { c: 'd' }] }, [], {}, 'x'.repeat(80)])
      expect(new Function(`return ${literal(value)}`)()).to.deep.equal(value)
  })
})
