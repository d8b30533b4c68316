import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'

import { ACTIONS } from '../../src/domain/action.js'
import type { Route } from '../../src/layers/route.js'
import { at, listAt } from './json.js'
import { random } from './random.js'
import { addLink } from './records.js'
import { requestOf } from './samples.js'
import { awkwardText, awkwardValue, valueOf } from './schema-values.js'
import type { TestResponse } from './service.js'
import { startWithCallers } from './two-callers.js'

export interface FuzzReport {
  readonly requests: number
  readonly statuses: Readonly<Record<string, number>>
  /** operations that never succeeded: what they check was hardly tried */
  readonly neverServed: readonly string[]
  /** answers of 500 and above, and answers that the document does not describe, each with its request */
  readonly faults: readonly string[]
}

const templateOf = (path: string): string => path.replace(/:([a-z_]+)/g, '{$1}')
const escaped = (step: string): string => encodeURIComponent(step.replaceAll('~', '~0').replaceAll('/', '~1'))

/** Holds answers against the document: status, media type, and the body against its schema. */
const describedBy = (document: unknown) => {
  const ajv = new Ajv2020({ strict: false })
  addFormats.default(ajv)
  ajv.addSchema({ $id: 'document', ...Object(document) })
  const compiled = new Map<string, ValidateFunction>()
  const validator = (pointer: string): ValidateFunction => {
    const known = compiled.get(pointer) ?? ajv.compile({ $ref: `document#/${pointer}` })
    compiled.set(pointer, known)
    return known
  }
  /** What is wrong with an answer; undefined where it is as described. */
  return ({ method, path }: Route, { status, headers, text, json }: TestResponse): string | undefined => {
    // that somebody has to come again is a described answer
    if (status >= 500 && at(json, 'code') !== 'exports_busy') return 'a failure'
    const template = templateOf(path)
    const response = at(document, 'paths', template, method, 'responses', String(status))
    if (response === undefined) return 'a status that is not described'
    const content = at(response, 'content')
    if (text === '' || content === undefined) return text === '' ? undefined : 'a body where none is described'
    const type = headers.get('Content-Type')?.split(';')[0] ?? ''
    const schema = at(content, type, 'schema')
    if (schema === undefined) return `the media type ${type}, which is not described`
    if (!/[/+]json$/.test(type)) return undefined
    const validate = validator(
      ['paths', template, method, 'responses', String(status), 'content', type, 'schema'].map(escaped).join('/'),
    )
    return validate(json) ? undefined : ajv.errorsText(validate.errors)
  }
}

/**
 * So many requests made out of the service's own description, with values at and beyond every bound, by callers of
 * every role and scope; every answer has to be one that the description knows, and none a failure of ours.
 */
export const fuzzOpenApi = async (requests: number, seed = 1): Promise<FuzzReport> => {
  // exports are given a quarter of the connections: enough for all that ask at once here
  const callers = await startWithCallers({ environment: { DATABASE_POOL_SIZE: '32', REQUEST_DEADLINE_MS: '30000' } })
  const { service, admin, editor, other, viewer } = callers
  try {
    const document: unknown = (await service.request('GET', '/openapi.json')).json
    const fault = describedBy(document)
    const scopes = await Promise.all(ACTIONS.slice(0, 6).map((scope) => service.tokenFor(editor, scope)))
    // enough that the deletions of some runs leave one
    const victims = await Promise.all(Array.from({ length: 24 }, () => service.addUser('viewer')))
    const codes = await Promise.all([editor, other, admin].map(({ id }) => addLink(service.db, { owner: id })))
    const tokens: readonly [string | undefined, ...(string | undefined)[]] = [
      undefined,
      ...Array.from({ length: 10 }, () => admin.token),
      editor.token,
      editor.token,
      editor.token,
      other.token,
      viewer.token,
      ...scopes,
      'not-a-token',
    ]
    const statuses: Record<string, number> = {}
    const served = new Set<string>()
    const faults: string[] = []
    let sent = 0
    const table = service.routes.flatMap((route) =>
      route.method === 'post' && route.path === '/auth/token' ? [route] : [route, route, route],
    )

    const worker = async (chance: ReturnType<typeof random>) => {
      while (sent < requests) {
        sent += 1
        const route = table[chance.integer(0, table.length - 1)]
        if (!route) continue
        const asked = requestFor(route, document, chance, { codes, ids: victims.map(({ id }) => id) })
        const token = chance.pick(tokens)
        const name = `${route.method} ${route.path}`
        const answer = await service.request(route.method.toUpperCase(), asked.path, { ...asked, token })
        statuses[answer.status] = (statuses[answer.status] ?? 0) + 1
        if (answer.status < 400) served.add(name)
        const wrong = fault(route, answer)
        if (wrong !== undefined)
          faults.push(
            `${name} -> ${answer.status}: ${wrong}: ` +
              `${JSON.stringify(asked).slice(0, 600)} -> ${answer.text.slice(0, 300)}`,
          )
      }
    }
    await Promise.all(Array.from({ length: 8 }, (_, i) => worker(random(seed * 100 + i))))
    return {
      requests: sent,
      statuses,
      neverServed: service.routes.map(({ method, path }) => `${method} ${path}`).filter((name) => !served.has(name)),
      faults,
    }
  } finally {
    await service.stop()
  }
}

interface Asked {
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly json?: unknown
  readonly body?: string
}

/** Half of a surrogate pair is no text that a URL can carry. */
const wellFormed = (text: string): string => Buffer.from(text, 'utf8').toString('utf8')
const asText = (value: unknown): string => wellFormed(typeof value === 'string' ? value : JSON.stringify(value))

/** What fetch takes as a header's value. */
const headerText = (text: string): string => text.replaceAll(/[^\x20-\x7e]/g, '').trim()

const requestFor = (
  route: Route,
  document: unknown,
  chance: ReturnType<typeof random>,
  known: { readonly codes: readonly string[]; readonly ids: readonly string[] },
): Asked => {
  const operation = at(document, 'paths', templateOf(route.path), route.method)
  const parameters = (at(operation, 'parameters') === undefined ? [] : listAt(operation, 'parameters')).map((each) => {
    const name = /^#\/components\/parameters\/(\w+)$/.exec(String(at(each, '$ref')))?.[1]
    return name === undefined ? each : at(document, 'components', 'parameters', name)
  })
  const sample = requestOf(route)
  const isSample = chance.integer(0, 3) === 0
  const one = (list: readonly string[]) => list[chance.integer(0, list.length - 1)] ?? 'x'
  const segment = (name: string): string => {
    if (name === 'code' && chance.integer(0, 3) > 0) return one(known.codes)
    if (name === 'id' && chance.integer(0, 3) > 0) return one(known.ids)
    if (name === 'revision' && chance.integer(0, 3) > 0) return '1'
    const text = asText(
      valueOf(
        at(
          parameters.find((each) => at(each, 'name') === name),
          'schema',
        ),
        document,
        chance,
      ),
    )
    // what a URL would not carry as one segment of its own, or what another route answers
    return text === '' || /^\.{1,2}$/.test(text) || known.codes.length === 0 ? 'fz' : `fz${text}`.slice(0, 3_000)
  }
  const path = route.path.replace(/:([a-z_]+)/g, (_, name: string) => encodeURIComponent(segment(name)))
  const query = new URLSearchParams()
  if (isSample)
    for (const [name, value] of new URLSearchParams(sample.path.split('?')[1] ?? '')) query.append(name, value)
  else {
    for (const parameter of parameters) {
      if (at(parameter, 'in') === 'query' && chance.integer(0, 3) === 0)
        query.append(String(at(parameter, 'name')), asText(valueOf(at(parameter, 'schema'), document, chance)))
    }
    // edits of the policy are tried, and seldom made: what callers may do would change under all others
    if (route.method === 'post' && route.path.startsWith('/policy/') && chance.integer(0, 9) > 0)
      query.set('dry_run', 'true')
    if (chance.integer(0, 19) === 0) query.append(wellFormed(awkwardText(chance)), 'x')
    // a live stream goes on for minutes, unless it is told how many events are enough
    if (route.path.endsWith('/live') && /^([1-9]\d*)?$/.test(query.get('limit') ?? '')) query.set('limit', '1')
  }
  const headers: Record<string, string> = { ...sample.options.headers }
  const sometimes = (name: string, value: () => string) => {
    if (chance.integer(0, 14) === 0) headers[name] = headerText(value())
  }
  sometimes('If-Match', () => chance.pick(['"1"', '*', '"2"', 'W/"1"', '', awkwardText(chance)]))
  sometimes('If-None-Match', () => chance.pick(['"1"', '*', awkwardText(chance)]))
  sometimes('Idempotency-Key', () => chance.pick(['key', 'x'.repeat(255), 'x'.repeat(256), awkwardText(chance)]))
  sometimes('Policy-At-Least', () =>
    chance.pick(['1', '0', '999999999999999', '9999999999999999', awkwardText(chance)]),
  )
  sometimes('X-Request-ID', () => awkwardText(chance))
  sometimes('Accept', () => chance.pick(['*/*', 'text/csv', awkwardText(chance)]))
  if (chance.integer(0, 9) === 0) delete headers['If-Match']
  const schema = at(operation, 'requestBody', 'content', 'application/json', 'schema')
  const target = `${path}${query.size === 0 ? '' : `?${query}`}`
  if (schema === undefined) return { path: target, headers }
  switch (chance.integer(0, 19)) {
    case 0:
      return {
        path: target,
        headers: { ...headers, 'Content-Type': 'application/json' },
        body: chance.pick([
          '',
          '{',
          '{"a":1,"a":2}',
          '[[[[[['.repeat(50),
          '"\\ud800"',
          '{"target":1e999}',
          'null',
          '\ufeff{}',
          JSON.stringify('x'.repeat(70_000)),
        ]),
      }
    case 1:
      return {
        path: target,
        headers: {
          ...headers,
          'Content-Type': chance.pick([
            'text/plain',
            'application/x-www-form-urlencoded',
            'application/json; charset=utf-16',
            'application/problem+json',
            'x',
          ]),
        },
        body: 'a=b&a=c',
      }
    case 2:
      return { path: target, headers, json: awkwardValue(chance) }
    case 3:
      return { path: target, headers, json: { target: 'https://example.com/', code: one(known.codes) } }
    case 4:
    case 5:
    case 6:
      return { path: target, headers, json: sample.options.json ?? {} }
    case 7:
    case 8:
    case 9:
      return { path: target, headers, json: changed(sample.options.json, chance) }
    default:
      return { path: target, headers, json: valueOf(schema, document, chance) }
  }
}

/** A valid body with one of its members made awkward, left out, or added. */
const changed = (json: unknown, chance: ReturnType<typeof random>): unknown => {
  if (typeof json !== 'object' || json === null || Array.isArray(json)) return awkwardValue(chance)
  const names = Object.keys(json)
  const name = names[chance.integer(0, names.length)] ?? awkwardText(chance)
  return Object.fromEntries([
    ...Object.entries(json).filter(([each]) => each !== name),
    ...(chance.integer(0, 2) === 0 ? [] : [[name, awkwardValue(chance)]]),
  ])
}
