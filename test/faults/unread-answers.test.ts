import { createConnection, type Socket } from 'node:net'

import { expect } from 'chai'

import { startTestService } from '../support/service.js'
import { until } from '../support/until.js'

describe('clients that ask for a page of links and read none of it', () => {
  it('are cut off after a while, and what they asked for is let go of', async () => {
    const service = await startTestService()
    const { token } = await service.addUser('editor')
    const note = '界'.repeat(2_000)
    for (let from = 0; from < 100; from += 50) {
      const items = Array.from({ length: 50 }, (_, i) => ({
        target: 'https://example.com/',
        code: `n${from + i}`,
        note,
      }))
      const made = await service.request('POST', '/links/bulk', { token, json: { operation: 'create', items } })
      expect(made.status).to.equal(200)
    }
    const head = `GET /links?limit=100 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n\r\n`
    const sockets: readonly Socket[] = Array.from({ length: 50 }, () => {
      const socket = createConnection(service.port, '127.0.0.1').on('error', () => undefined)
      socket.pause()
      socket.write(head)
      return socket
    })
    const open = () => process.getActiveResourcesInfo().filter((name) => name === 'TCPSocketWrap').length
    await until('all are open', () => open() >= 100)
    // the clients' ends stay: they do not look
    await until('the service has closed its ends', () => open() <= 60, { withinMs: 120_000, everyMs: 500 })
    for (const socket of sockets) socket.destroy()
    await service.stop()
  })
})
