import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

import { expect } from 'chai'

import { keepLog, type KeptLog } from '../support/log.js'
import { createPause } from '../support/pause.js'
import { addManyLinks } from '../support/records.js'
import { startTestService, type TestService, type TestUser } from '../support/service.js'

describe('what a client does wrong', () => {
  let service: TestService
  let kept: KeptLog
  let editor: TestUser
  const pause = createPause()

  before(async () => {
    kept = keepLog()
    service = await startTestService({
      log: kept.log,
      composeLayers: pause.composeLayers,
      environment: { REQUEST_DEADLINE_MS: '1000' },
    })
    editor = await service.addUser('editor')
    await addManyLinks(service.db, { owner: editor.id, count: 5_000, prefix: 'left-', targetLength: 1_900 })
  })
  after(() => service.stop())

  let asked = 0
  /** Sends the text, does something to the connection, and answers the line of the request. */
  const send = async (request: string, rest: string, act: (socket: Socket) => Promise<unknown> | void = () => {}) => {
    const { hostname, port } = new URL(service.baseUrl)
    const id = `fault-${(asked += 1)}`
    const socket = connect(Number(port), hostname)
    socket.on('error', () => undefined)
    const head = `Host: x\r\nX-Request-ID: ${id}\r\nAuthorization: Bearer ${editor.token}\r\n`
    socket.write(`${request} HTTP/1.1\r\n${head}Content-Type: application/json\r\n${rest}`)
    // the answer to Expect, or the first bytes of an export: the request is being served
    await once(socket, 'data')
    await act(socket)
    const line = await kept.line(new RegExp(`"request_id":"${id}".*"msg":"request"`))
    socket.destroy()
    return line
  }
  const half = 'Expect: 100-continue\r\nContent-Length: 100\r\n\r\n{"target'

  it('is no error of the service: an unknown method has one line, and no stack', async () => {
    const id = 'fault-of-the-method'
    const headers = { 'X-Request-ID': id }
    expect((await service.request('PROPFIND', '/links', { headers })).status).to.equal(501)
    await kept.line(new RegExp(`"request_id":"${id}".*"msg":"request"`))
    expect(kept.lines().filter((line) => line.includes(id))).to.have.length(1)
  })

  it('is no error of the service: a body that is late or broken has one line, and no stack', async () => {
    expect(await send('POST /links', half)).to.include('"code":"deadline_exceeded"')
    await send('POST /links', half, (socket) => void socket.end())
    await send('POST /links', half, (socket) => void socket.destroy())
    await send('POST /links', half, (socket) => void socket.resetAndDestroy())
    const chunks = 'Expect: 100-continue\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{"\r\n'
    await send('POST /links', chunks, (socket) => void socket.write('no size\r\n'))
    await send('GET /links/export', '\r\n', (socket) => void socket.resetAndDestroy())
    await send('GET /links/export', '\r\n', (socket) => void socket.destroy())
    expect(kept.lines().join('')).to.not.include('"stack"')
    expect(kept.lines().join('')).to.not.match(/"level":(?:50|60)/)
  })

  it('is told from what the service does wrong: a deadline over a whole body is an error', async () => {
    let end = () => {}
    const over = new Promise<void>((resolve) => {
      end = resolve
    })
    pause.once(() => over)
    const json = { target: 'https://example.com/' }
    const answer = await service.request('POST', '/links', { token: editor.token, json })
    end()
    expect(answer.json).to.include({ status: 503, code: 'deadline_exceeded' })
    expect(await kept.line(/"level":50.*"code":"deadline_exceeded"/)).to.include('"route":"/links"')
  })
})
