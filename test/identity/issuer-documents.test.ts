import { createServer, type Server } from 'node:http'

import { expect } from 'chai'

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

    it(`is named where it is ${path.slice(1)}: an issuer has several`, async () => {
      const error: unknown = await readDocument(`${base}${path}`, AbortSignal.timeout(200)).catch((each) => each)
      expect(String(error)).to.include(`${base}${path}`)
    })
  }
})
