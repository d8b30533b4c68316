import { createServer } from 'node:http'
import type { Server } from 'node:http'

import { expect } from 'chai'

import { StartError } from '../../src/domain/start-error.js'
import { readConfig } from '../../src/config.js'
import { readDocument } from '../../src/identity/issuer-documents.js'

describe('a document of an issuer', () => {
  let server: Server
  let base: string
  let asked: string[] = []
  before(async () => {
    server = createServer((request, response) => {
      const path = request.url ?? ''
      asked.push(path)
      if (path === '/moved') response.writeHead(302, { Location: '/good' }).end()
      else if (path === '/large') response.end(`"${'x'.repeat(300_000)}"`)
      else if (path === '/broken') response.end('{"keys":')
      else if (path === '/good') response.end('{"a":1}')
      else if (path !== '/silent') response.writeHead(500).end('{}')
    })
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve)
    })
    const address = server.address()
    base = `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`
  })
  after(() => {
    server.closeAllConnections()
    server.close()
  })
  beforeEach(() => {
    asked = []
  })

  const read = (path: string) =>
    readDocument(`${base}${path}`, AbortSignal.timeout(200)).then(
      (value) => ({ value }),
      () => 'refused',
    )

  it('is read as JSON', async () => {
    expect(await read('/good')).to.deep.equal({ value: { a: 1 } })
  })

  for (const path of ['/moved', '/large', '/broken', '/failed', '/silent']) {
    it(`is refused where it is ${path.slice(1)}`, async () => {
      expect(await read(path)).to.equal('refused')
      expect(asked).to.deep.equal([path])
    })
  }
})

describe('the settings of an external issuer', () => {
  const issuer = { JWT_ISSUER: 'https://issuer.example.com', JWT_AUDIENCE: 'https://links.example.com' }

  it('are none where nothing is said', () => {
    expect(readConfig({}).externalIssuer).to.equal(undefined)
  })

  it('are an issuer and an audience, with RS256 and ES256 and unknown subjects refused', () => {
    expect(readConfig(issuer).externalIssuer).to.deep.equal({
      name: issuer.JWT_ISSUER,
      audience: issuer.JWT_AUDIENCE,
      jwksUri: undefined,
      algorithms: ['RS256', 'ES256'],
      unknownSubjects: 'refuse',
    })
    expect(
      readConfig({
        ...issuer,
        JWT_ALGORITHMS: ' PS256,ES384 ',
        JWT_UNKNOWN_SUBJECTS: 'viewer',
        JWKS_URI: 'https://keys.example.com/set',
      }).externalIssuer,
    )
      .to.include({ unknownSubjects: 'viewer', jwksUri: 'https://keys.example.com/set' })
      .and.deep.include({ algorithms: ['PS256', 'ES384'] })
    for (const loopback of ['http://127.0.0.1:4000', 'http://localhost:4000/realm', 'http://[::1]:4000']) {
      expect(readConfig({ ...issuer, JWT_ISSUER: loopback }).externalIssuer).to.include({ name: loopback })
    }
  })

  for (const [environment, fault] of [
    [{ JWT_ISSUER: issuer.JWT_ISSUER }, 'JWT_AUDIENCE'],
    [{ ...issuer, JWT_ISSUER: 'http://issuer.example.com' }, 'JWT_ISSUER'],
    [{ ...issuer, JWT_ISSUER: 'http://127.0.0.1.example.com' }, 'JWT_ISSUER'],
    [{ ...issuer, JWT_ISSUER: 'https://user:password@issuer.example.com' }, 'JWT_ISSUER'],
    [{ ...issuer, JWT_ISSUER: 'https://issuer.example.com/?a=1' }, 'JWT_ISSUER'],
    [{ ...issuer, JWT_ISSUER: 'issuer' }, 'JWT_ISSUER'],
    [{ ...issuer, JWKS_URI: 'http://issuer.example.com/keys' }, 'JWKS_URI'],
    [{ ...issuer, JWT_ALGORITHMS: 'HS256' }, 'JWT_ALGORITHMS'],
    [{ ...issuer, JWT_ALGORITHMS: 'RS256 none' }, 'JWT_ALGORITHMS'],
    [{ ...issuer, JWT_ALGORITHMS: ',' }, 'JWT_ALGORITHMS'],
    [{ ...issuer, JWT_UNKNOWN_SUBJECTS: 'admin' }, 'JWT_UNKNOWN_SUBJECTS'],
    [{ ...issuer, JWT_SIGNING_KEY_FILE: 'key.pem' }, 'JWT_SIGNING_KEY_FILE'],
    [{ JWKS_URI: 'https://issuer.example.com/keys' }, 'JWKS_URI'],
    [{ JWT_ALGORITHMS: 'ES256' }, 'JWT_ALGORITHMS'],
    [{ JWT_UNKNOWN_SUBJECTS: 'viewer' }, 'JWT_UNKNOWN_SUBJECTS'],
  ] as const) {
    it(`are refused: ${JSON.stringify(environment)}`, () => {
      expect(() => readConfig(environment)).to.throw(StartError, new RegExp(`^${fault}: `))
    })
  }
})
