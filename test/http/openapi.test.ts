import { expect } from 'chai'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { Validator } from '@seriousme/openapi-schema-validator'

import type { Id } from '../../src/domain/id.js'
import { MEDIA_TYPES } from '../../src/input/input.js'
import type { Route } from '../../src/layers/route.js'
import { at, listAt } from '../support/json.js'
import { addLink, addUserToDelete } from '../support/records.js'
import { requestOf, subjectOf } from '../support/samples.js'
import type { TestService } from '../support/service.js'
import { startWithCallers, type Callers } from '../support/two-callers.js'

describe('/openapi.json', () => {
  let callers: Callers
  let service: TestService
  let document: unknown

  before(async () => {
    callers = await startWithCallers()
    service = callers.service
    document = (await service.request('GET', '/openapi.json')).json
  })
  after(() => service.stop())

  /** The record that a request of the route is about: a new one where the route is about a link. */
  const nameFor = async (route: Route, owner: Id | null): Promise<string> => {
    if (owner !== null && /:code(?:\+|\/qr|\/rights|\/visits(?:\/export)?)?$/.test(route.path))
      return addLink(service.db, { owner })
    if (subjectOf(route) === 'user to delete' && owner === callers.editor.id) return addUserToDelete(service.db)
    return owner ?? 'absent'
  }
  /** The values of the route's parameter `format`. */
  const formatsOf = ({ method, path }: Route): readonly string[] => {
    const format = listAt(operationOf(method, path), 'parameters').find((each) => at(each, 'name') === 'format')
    return format === undefined ? [] : listAt(format, 'schema', 'enum').map(String)
  }

  const templateOf = (path: string) => path.replace(/:([a-z_]+)/g, '{$1}')
  const operationOf = (method: string, path: string) => at(document, 'paths', templateOf(path), method)

  it('is a valid OpenAPI 3.1 document', async () => {
    const validator = new Validator()
    const result = await validator.validate(structuredClone(Object(document)))
    expect(result.valid, JSON.stringify(result.errors)).to.equal(true)
    expect(validator.version).to.equal('3.1')
  })

  it('has every route of the table, and nothing else', () => {
    const described = Object.entries(Object(at(document, 'paths'))).flatMap(([path, methods]) =>
      Object.keys(Object(methods)).map((method) => `${method} ${path}`),
    )
    expect(described.sort()).to.deep.equal(
      service.routes.map(({ method, path }) => `${method} ${templateOf(path)}`).sort(),
    )
  })

  it('says where a revision that is asked for may not be there', async () => {
    for (const target of [
      '/policy?revision=999',
      '/policy/decisions?revision=999',
      '/policy/comparison?from=1&to=999',
      '/policy/explanation?role=editor&action=link:read&revision=999',
    ]) {
      const { status, json } = await service.request('GET', target, { token: callers.admin.token })
      expect([status, at(json, 'code')], target).to.deep.equal([404, 'not_found'])
      const [path = ''] = target.split('?')
      expect(at(operationOf('get', path), 'responses'), path).to.have.property('404')
    }
  })

  it('names each operation once, in a few words as well, and says what each layer checks', () => {
    for (const name of ['operationId', 'summary']) {
      const names = service.routes.map(({ method, path }) => String(at(operationOf(method, path), name)))
      expect(new Set(names).size, name).to.equal(names.length)
      // the contents of the reference list them
      for (const each of names) expect(each).to.have.length.within(1, 45)
    }
    for (const { method, path, gateway, endpoint, objectAction } of service.routes) {
      const decided =
        gateway.scope === 'items' ? { endpoint: 'items', object: 'items' } : { endpoint, object: objectAction }
      expect(at(operationOf(method, path), 'x-layers'), path).to.deep.include({ gateway, ...decided })
    }
  })

  it('says of every parameter and field what it is', () => {
    const missing: string[] = []
    const walk = (schema: unknown, path: string): void => {
      for (const [name, each] of Object.entries(Object(at(schema, 'properties')))) {
        if (at(each, 'description') === undefined && at(each, '$ref') === undefined) missing.push(`${path}.${name}`)
        walk(each, `${path}.${name}`)
      }
      for (const kind of ['anyOf', 'oneOf']) {
        const kinds = at(schema, kind)
        if (Array.isArray(kinds)) for (const each of kinds) walk(each, path)
      }
      if (at(schema, 'items') !== undefined) walk(at(schema, 'items'), `${path}[]`)
    }
    for (const [name, schema] of Object.entries(Object(at(document, 'components', 'schemas')))) walk(schema, name)
    for (const { method, path, documentation } of service.routes) {
      const operation = operationOf(method, path)
      for (const parameter of listAt(operation, 'parameters'))
        if (at(parameter, '$ref') === undefined && at(parameter, 'description') === undefined)
          missing.push(`${documentation.id}?${String(at(parameter, 'name'))}`)
      const bodies = [at(operation, 'requestBody'), ...Object.values(Object(at(operation, 'responses')))]
      for (const body of bodies)
        for (const media of Object.values(Object(at(body, 'content')))) walk(at(media, 'schema'), documentation.id)
    }
    expect(missing).to.deep.equal([])
  })

  it('describes every answer that the service gives, by status, media type and schema', async () => {
    const ajv = new Ajv2020({ strict: false, allErrors: true })
    addFormats.default(ajv)
    ajv.addSchema({ $id: 'document', ...Object(document) })
    const validators = new Map<string, ValidateFunction>()
    const check = (
      method: string,
      path: string,
      answer: { readonly status: number; readonly headers: Headers; readonly json: unknown; readonly text: string },
    ) => {
      const asked = `${method} ${path} -> ${answer.status}`
      const response = at(operationOf(method, path), 'responses', answer.status)
      expect(response, `${asked} is not described: ${answer.text.slice(0, 300)}`).to.not.equal(undefined)
      const type = answer.headers.get('Content-Type')?.split(';')[0] ?? ''
      const content = at(response, 'content')
      if (answer.text === '') return
      if (content === undefined) return
      expect(Object(content), asked).to.have.property(type)
      const isJson = /[/+]json$/.test(type)
      // to JSON Schema everything is text, so bytes have a schema of nothing, and nothing else has
      if (!isJson) {
        const isText = Object.keys(Object(at(content, type, 'schema'))).length > 0
        expect(isText, `${asked}: ${type} is text`).to.equal(!/[\0\ufffd]/.test(answer.text))
      }
      const problem = at(answer.json, 'code')
      if (answer.status >= 400 && problem !== undefined) {
        const described = listAt(response, 'x-problems').map((each) => at(each, 'code'))
        expect(described, asked).to.include(problem)
      }
      const pointer = ['paths', templateOf(path), method, 'responses', String(answer.status), 'content', type, 'schema']
        .map((step) => encodeURIComponent(step.replaceAll('~', '~0').replaceAll('/', '~1')))
        .join('/')
      const validate = validators.get(pointer) ?? ajv.compile({ $ref: `document#/${pointer}` })
      validators.set(pointer, validate)
      expect(
        validate(isJson ? answer.json : answer.text),
        `${asked}: ${ajv.errorsText(validate.errors)} in ${answer.text.slice(0, 500)}`,
      ).to.equal(true)
    }
    for (const route of service.routes) {
      for (const user of [callers.admin, callers.editor, null]) {
        // without a parameter in its path a route is the same for every owner
        for (const owner of route.path.includes(':') ? [callers.admin.id, callers.editor.id, null] : [null]) {
          const name = await nameFor(route, owner)
          const { method, path, options } = requestOf(route, name)
          check(route.method, route.path, await service.request(method, path, { ...options, token: user?.token }))
          if (route.body)
            check(
              route.method,
              route.path,
              await service.request(method, path, { token: user?.token, json: { no_such_field: 1 } }),
            )
          if (route.query)
            check(
              route.method,
              route.path,
              await service.request(method, `${path.split('?')[0]}?no_such_parameter=1`, {
                ...options,
                token: user?.token,
              }),
            )
        }
      }
      const { token, id } = callers.admin
      for (const format of formatsOf(route)) {
        const { method, path, options } = requestOf(route, await nameFor(route, id))
        const query = new URLSearchParams({
          ...Object.fromEntries(new URL(path, service.baseUrl).searchParams),
          format,
        })
        check(
          route.method,
          route.path,
          await service.request(method, `${path.split('?')[0]}?${query}`, { ...options, token }),
        )
      }
      if (route.path.includes(':')) {
        const { method, options } = requestOf(route)
        const path = route.path.replace(/:[a-z_]+/g, 'no-such-thing')
        check(route.method, route.path, await service.request(method, path, { ...options, token }))
      }
    }
  })

  it('names exactly the refusals of bodies of another kind, of unreadable ones and of those with faults', async () => {
    const { token, id } = callers.admin
    const checked: string[] = []
    for (const route of service.routes.filter(({ body }) => body !== undefined)) {
      const { method, path, options } = requestOf(route, await nameFor(route, id))
      const codeOf = async (type: string, body: string) => {
        const headers = { ...options.headers, 'Content-Type': type }
        const { json } = await service.request(method, path, { token, headers, body })
        return String(at(json, 'code'))
      }
      const [accepted] = route.accepts
      const met = [
        await codeOf('text/plain', '{}'),
        ...(route.accepts.includes('json') ? [await codeOf(MEDIA_TYPES.json, '{')] : []),
        await (accepted === 'form' ? codeOf(MEDIA_TYPES.form, 'no_such_field=1') : codeOf(MEDIA_TYPES.json, '[]')),
      ]
      // what the sample is about does not exist, so nothing is said of the body
      if (met.every((code) => code === 'not_found')) continue
      const responses = Object.values(Object(at(operationOf(route.method, route.path), 'responses')))
      const named = responses
        .flatMap((each) => (at(each, 'x-problems') === undefined ? [] : listAt(each, 'x-problems')))
        .map((each) => String(at(each, 'code')))
      const ofBodies = ['unsupported_media_type', 'malformed_json', 'validation_failed']
      expect(
        ofBodies.filter((code) => named.includes(code)),
        `${method} ${path}`,
      ).to.deep.equal(ofBodies.filter((code) => met.includes(code)))
      expect(named, `${method} ${path}`).to.include.members(met)
      checked.push(route.path)
    }
    expect(checked).to.include.members(['/links', '/:code', '/auth/token', '/access/v1/evaluation'])
  })
})
