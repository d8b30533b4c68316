import { expect } from 'chai'

import { referencePage } from '../../src/docs/reference-page.js'
import { openapiDocument } from '../../src/openapi/document.js'
import { attributesOf, elementsOf, textOf } from '../support/html.js'
import { at } from '../support/json.js'
import { startTestService, type TestService } from '../support/service.js'

interface Said {
  readonly path: string
  /** what must stand in its row */
  readonly words: readonly string[]
}

const COUNTED: Readonly<Record<string, string>> = {
  caller: 'for the caller',
  sign_in: 'as an attempt to sign in',
  invite: 'for the caller, and as an invitation',
  redirect: 'for the caller',
  probe: 'for the caller, unless the request comes from this machine',
  file: 'for the caller if a token is sent, otherwise not counted: pages load many files at once',
}

const NO_NUL = String.raw`^[^\u0000]*$`
const listed = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])
const entriesOf = (value: unknown): readonly (readonly [string, unknown])[] => Object.entries(Object(value))
const inWords = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))

describe('the API reference', () => {
  let service: TestService
  let document: unknown
  let page: string
  /** the part of the page about each operation */
  let articles: ReadonlyMap<string, string>

  before(async () => {
    service = await startTestService()
    document = (await service.request('GET', '/openapi.json')).json
    page = (await service.request('GET', '/docs')).text
    articles = new Map(
      elementsOf(page, 'article').map((article) => [attributesOf(article, 'id')[0] ?? '', article] as const),
    )
  })
  after(() => service.stop())

  it('is read and made a piece at a time, as its document is: other requests are answered in between', async () => {
    /** how often the event loop turns while this is done */
    const turnsOf = async (work: () => Promise<unknown>) => {
      let turns = 0
      let next = setImmediate(function turn() {
        turns += 1
        next = setImmediate(turn)
      })
      await work()
      clearImmediate(next)
      return turns
    }
    const made = await turnsOf(() => referencePage(document, { copy: '', search: '', send: '' }))
    expect(made).to.be.at.least(2 * articles.size)
    const described = await turnsOf(() => openapiDocument(service.routes, { baseUrl: '', version: '' }))
    expect(described).to.be.at.least(service.routes.length)
  })

  const whole = (part: unknown): unknown => {
    const ref = at(part, '$ref')
    return typeof ref === 'string' ? whole(at(document, ...ref.slice(2).split('/'))) : part
  }

  /** What the document says of one value, without what it holds. */
  const wordsOf = (schema: unknown): readonly string[] => [
    ...[at(schema, 'description')]
      .filter((text) => typeof text === 'string')
      .map((text) => textOf(text.replaceAll('`', ''))),
    ...listed(at(schema, 'enum')).map(inWords),
    ...['const', 'default'].flatMap((name) => {
      const value = at(schema, name)
      return value === undefined ? [] : [name === 'const' ? inWords(value) : JSON.stringify(value)]
    }),
    ...['minimum', 'maximum', 'minLength', 'maxLength', 'minItems', 'maxItems'].flatMap((name) => {
      const value = at(schema, name)
      // no bound: whoever reads it cannot count so far
      const isBound = typeof value === 'number' && Math.abs(value) < Number.MAX_SAFE_INTEGER
      return isBound ? [value.toLocaleString('en-US')] : []
    }),
    // a format says it already; and what no text may hold is said once
    ...(at(schema, 'format') === undefined
      ? [at(schema, 'pattern')].filter((text): text is string => typeof text === 'string' && text !== NO_NUL)
      : []),
  ]

  /** Every field that a schema declares, by a walk of our own through the document. */
  const fieldsOf = (given: unknown, path = '', depth = 0): readonly Said[] => {
    const schema = whole(given)
    if (depth > 8) return []
    const parts = ['anyOf', 'oneOf', 'allOf'].flatMap((name) => listed(at(schema, name)))
    const held = [
      ...entriesOf(at(schema, 'properties')).flatMap(([name, each]) => [
        { path: `${path}${name}`, words: allWordsOf(each) },
        ...fieldsOf(each, `${path}${name}.`, depth + 1),
      ]),
      ...(at(schema, 'items') === undefined ? [] : fieldsOf(at(schema, 'items'), `${path.slice(0, -1)}[].`, depth + 1)),
      ...(typeof at(schema, 'additionalProperties') === 'object'
        ? fieldsOf(at(schema, 'additionalProperties'), `${path}{name}.`, depth + 1)
        : []),
    ]
    return [...held, ...parts.flatMap((part) => fieldsOf(part, path, depth))]
  }

  /** What is said of a value in its own row: of its forms and items too, but not of their fields. */
  const allWordsOf = (given: unknown): readonly string[] => {
    const schema = whole(given)
    const parts = ['anyOf', 'oneOf', 'allOf'].flatMap((name) => listed(at(schema, name)))
    const described = wordsOf(schema)
    const inner = [...parts, ...(at(schema, 'items') === undefined ? [] : [at(schema, 'items')])].map(whole)
    return [...described, ...inner.flatMap((part) => wordsOf({ ...Object(part), description: undefined }))]
  }

  /** The rows of the page's tables, by caption. */
  const rowsOf = (markup: string): ReadonlyMap<string, readonly (readonly [path: string, text: string])[]> =>
    new Map(
      elementsOf(markup, 'table')
        .filter((table) => table.includes('<caption>'))
        .map((table) => [
          textOf(elementsOf(table, 'caption')[0] ?? ''),
          elementsOf(elementsOf(table, 'tbody')[0] ?? '', 'tr')
            .filter((row) => row.includes('scope="row"'))
            .map((row) => [textOf(elementsOf(row, 'th')[0] ?? '').replace(/ required$/, ''), textOf(row)] as const),
        ]),
    )

  const operations = () =>
    entriesOf(at(document, 'paths')).flatMap(([path, methods]) =>
      entriesOf(methods).map(([method, operation]) => ({
        method,
        path,
        operation,
        id: String(at(operation, 'operationId')),
      })),
    )
  const articleOf = (id: string): string => articles.get(id) ?? ''

  const expectRows = (
    found: readonly (readonly [string, string])[] | undefined,
    said: readonly Said[],
    where: string,
  ) => {
    expect([...new Set((found ?? []).map(([path]) => path))].sort(), where).to.deep.equal(
      [...new Set(said.map(({ path }) => path))].sort(),
    )
    for (const { path, words } of said) {
      const texts = (found ?? []).filter(([each]) => each === path).map(([, text]) => text)
      for (const word of words)
        expect(
          texts.some((text) => text.includes(word.replace(/\s+/g, ' ').trim())),
          `${where}: “${word}” of ${path} in ${texts.join(' | ')}`,
        ).to.equal(true)
    }
  }

  it('has every operation of the document once, with method, path, summary and description', () => {
    expect([...articles.keys()].sort()).to.deep.equal(
      operations()
        .map(({ id }) => id)
        .sort(),
    )
    for (const { id, method, path, operation } of operations()) {
      const text = textOf(articleOf(id))
      expect(text, id).to.include(`${method.toUpperCase()} ${path}`)
      for (const name of ['summary', 'description']) {
        const said = at(operation, name)
        if (typeof said === 'string')
          // the layers have a list of their own
          for (const paragraph of said
            .replaceAll('`', '')
            .split(/\n{2,}(?:\|[^]*)?/)
            .slice(said.startsWith(`${String(at(operation, 'summary'))}.\n`) ? 1 : 0))
            expect(text, `${id}: ${name}`).to.include(
              paragraph
                .replace(/^- |\n- /g, ' ')
                .replace(/\s+/g, ' ')
                .trim(),
            )
      }
    }
  })

  it('has every parameter of every operation, with what is said of it', () => {
    for (const { id, operation } of operations()) {
      const tables = rowsOf(articleOf(id))
      for (const [place, caption] of [
        ['path', 'In the path'],
        ['query', 'In the query'],
        ['header', 'In headers'],
      ] as const) {
        const said = listed(at(operation, 'parameters'))
          .map(whole)
          .filter((parameter) => at(parameter, 'in') === place)
          .map((parameter) => ({
            path: String(at(parameter, 'name')),
            words: [
              ...wordsOf({ description: at(parameter, 'description') }),
              ...allWordsOf({
                ...Object(whole(at(parameter, 'schema'))),
                ...(at(parameter, 'description') !== undefined && { description: undefined }),
              }),
            ],
          }))
        expectRows(tables.get(caption), said, `${id}, ${place}`)
      }
    }
  })

  it('has every field of every body, however deep, with type, bounds, default and description', () => {
    let bodies = 0
    for (const { id, operation } of operations()) {
      const [media] = entriesOf(at(operation, 'requestBody', 'content'))
      if (media === undefined) continue
      bodies += 1
      expectRows(rowsOf(articleOf(id)).get('Fields of the body'), fieldsOf(at(media[1], 'schema')), `${id}, body`)
    }
    expect(bodies).to.be.greaterThan(10)
  })

  it('has every field and header of every answer', () => {
    let answers = 0
    for (const { id, operation } of operations()) {
      const text = textOf(articleOf(id))
      for (const [status, response] of entriesOf(at(operation, 'responses'))) {
        const headers = entriesOf(at(whole(response), 'headers'))
        for (const [name] of headers) expect(text, `${id} ${status}`).to.include(name)
        // refusals only name theirs
        if (Number(status) >= 400) continue
        for (const [name, header] of headers)
          for (const words of [...wordsOf(whole(header)), ...allWordsOf(at(whole(header), 'schema'))])
            expect(text, `${id} ${status}: ${name}`).to.include(words)
        for (const [type, media] of entriesOf(at(whole(response), 'content'))) {
          const fields = fieldsOf(at(media, 'schema'))
          if (fields.length === 0) continue
          answers += 1
          expectRows(rowsOf(articleOf(id)).get(`Fields of ${type}`), fields, `${id}, ${status} ${type}`)
        }
      }
    }
    expect(answers).to.be.greaterThan(30)
  })

  it('has every refusal of every operation, by status and code', () => {
    for (const { id, operation } of operations()) {
      const rows = elementsOf(articleOf(id), 'tr').map(textOf)
      for (const [status, response] of entriesOf(at(operation, 'responses'))) {
        if (Number(status) < 400) continue
        const problems = listed(at(whole(response), 'x-problems'))
        const expected =
          problems.length > 0
            ? problems.map((problem) => `${status} ${inWords(at(problem, 'layer'))} ${inWords(at(problem, 'code'))}`)
            : [`${status} ${textOf(String(at(whole(response), 'description')).replaceAll('`', ''))}`]
        for (const each of expected)
          expect(
            rows.some((row) => row.startsWith(each)),
            `${id}: ${each}`,
          ).to.equal(true)
      }
    }
  })

  it('says of every operation what each layer checks', () => {
    for (const { id, operation } of operations()) {
      const layers = textOf(elementsOf(articleOf(id), 'ol')[0] ?? '')
      for (const name of ['gateway', 'endpoint', 'object', 'data']) expect(layers, id).to.include(name)
      const { scope, quota } = Object(at(operation, 'x-layers', 'gateway'))
      if (scope !== 'public' && scope !== 'items') expect(layers, id).to.include(`scope ${scope}`)
      expect(layers, id).to.include(`counted ${COUNTED[String(quota)]}`)
      for (const name of ['endpoint', 'object', 'and', 'part', 'data']) {
        const action = at(operation, 'x-layers', name)
        if (typeof action === 'string' && action !== 'none') expect(layers, id).to.include(action)
      }
    }
  })

  it('shows every operation as a command of curl and as a call of the client', () => {
    for (const { id, path, operation } of operations()) {
      const [curl = '', client = ''] = elementsOf(articleOf(id), 'pre').map(textOf)
      const isForPages = at(operation, 'x-layers', 'gateway', 'from') !== undefined
      const hasMethod = !isForPages && !['system', 'pages', 'redirect'].includes(String(at(operation, 'tags', 0)))
      expect(curl, id)
        .to.include(`curl`)
        .and.include(`${service.baseUrl}${path.split('{')[0]}`)
      expect(curl, id).to.not.match(/[{](?:code|id|token|page|revision|request_id)[}]/)
      if (hasMethod) expect(client, id).to.match(new RegExp(`await (?:\\(const each of )?client\\.${id}\\(`))
      else expect(articleOf(id), id).to.not.include('client.')
    }
  })

  it('holds all of it without a script: nothing but the search and the forms is hidden', () => {
    const hidden = [...page.matchAll(/<(\w+)[^>]*\shidden[^>]*>/g)].map(([tag]) => tag)
    for (const tag of hidden)
      expect(tag).to.match(
        /^<search|class="part scripted"|class="scripted card"|class="stop"|class="answer"|id="forget"/,
      )
  })
})
