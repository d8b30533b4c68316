import { once } from 'node:events'
import { connect } from 'node:net'

import { expect } from 'chai'

import { createPause } from '../support/pause.js'
import { sendRaw } from '../support/raw-http.js'
import { addLink, storedLink, storedLinks } from '../support/records.js'
import { startTestService, type TestService, type TestUser } from '../support/service.js'
import { within } from '../support/until.js'

describe('a request has one answer, which says what became of it', () => {
  let service: TestService
  let owner: TestUser
  const pause = createPause()

  before(async () => {
    service = await startTestService({ composeLayers: pause.composeLayers })
    owner = await service.addUser('editor')
  })
  after(() => service.stop())

  /** The statuses of all answers until the service closes the connection. */
  const statuses = async (text: string) => {
    const said = await within('the connection ends', sendRaw(service.baseUrl, text))
    return [...said.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status))
  }
  const head = () => `Host: x\r\nAuthorization: Bearer ${owner.token}\r\n`
  const newLink = () => addLink(service.db, { owner: owner.id })

  it('with one byte too many after the last request of a connection', async () => {
    const code = await newLink()
    expect(await statuses(`DELETE /links/${code} HTTP/1.1\r\n${head()}Connection: close\r\n\r\nX`)).to.deep.equal([204])
    expect(await storedLink(service.db, code)).to.equal(undefined)
  })

  it('with something that is no request behind it', async () => {
    for (const rest of [
      'no request\r\n\r\n',
      '\x00',
      'GET / HTTP/9.9\r\n\r\n',
      'DELETE /x HTTP/1.1\r\nbad header\r\n\r\n',
    ]) {
      const code = await newLink()
      expect(await statuses(`DELETE /links/${code} HTTP/1.1\r\n${head()}\r\n${rest}`)).to.deep.equal([204])
      expect(await storedLink(service.db, code)).to.equal(undefined)
    }
  })

  it('with a broken body that it does not need', async () => {
    const code = await newLink()
    const chunked = 'Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\nno size\r\n'
    expect(await statuses(`DELETE /links/${code} HTTP/1.1\r\n${head()}${chunked}`)).to.deep.equal([204])
    expect(await storedLink(service.db, code)).to.equal(undefined)
  })

  it('with a broken body that it needs: nothing is made', async () => {
    const before = await storedLinks(service.db)
    const post = `POST /links HTTP/1.1\r\n${head()}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`
    const body = '2\r\n{"\r\n'
    expect(await statuses(`${post}${body}no size\r\n`)).to.deep.equal([400])
    // when the service already waits for the rest
    const { hostname, port } = new URL(service.baseUrl)
    const socket = connect(Number(port), hostname)
    let said = ''
    socket.setEncoding('utf8').on('data', (text) => {
      said += String(text)
    })
    socket.write(`${post.replace('\r\n\r\n', '\r\nExpect: 100-continue\r\n\r\n')}${body}`)
    await once(socket, 'data')
    await service.request('GET', '/links', { token: owner.token })
    socket.write('no size\r\n')
    await within('the connection ends', once(socket, 'close'))
    expect([...said.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => status)).to.deep.equal(['100', '400'])
    expect(await storedLinks(service.db)).to.deep.equal(before)
  })

  it('where nothing was asked, one 400 says so', async () => {
    expect(await statuses('no request\r\n\r\n')).to.deep.equal([400])
  })

  it('also during a stop, and with an expectation that nobody knows', async () => {
    const last = await startTestService({ composeLayers: pause.composeLayers })
    const { token } = await last.addUser('editor')
    let stopped: Promise<void> | undefined
    pause.once(async () => {
      stopped = last.stop()
    })
    const json = JSON.stringify({ target: 'https://example.com/' })
    const said = await sendRaw(
      last.baseUrl,
      `POST /links HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nExpect: a-miracle\r\n` +
        `Content-Type: application/json\r\nContent-Length: ${json.length}\r\n\r\n${json}`,
    )
    await stopped
    expect(said).to.match(/^HTTP\/1\.1 201 /)
  })
})
