import { once } from 'node:events'
import { createServer } from 'node:http'
import { connect } from 'node:net'

import { expect } from 'chai'
import Koa from 'koa'

import { portOf } from '../../src/http/listen.js'
import { writeTogether } from '../../src/http/write-together.js'

describe('answers of one turn of the event loop', () => {
  it('are written together at its end, and an answer that is alone does not wait for another', async () => {
    const events: string[] = []
    const app = new Koa()
    app.use(writeTogether)
    app.use((ctx) => {
      events.push('ready')
      ctx.res.on('finish', () => events.push('written'))
      ctx.body = 'answer'
    })
    const server = createServer(app.callback()).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const port = portOf(server)
    const sockets = await Promise.all(
      [1, 2, 3].map(async () => {
        const socket = connect(port, '127.0.0.1')
        await once(socket, 'connect')
        return socket
      }),
    )
    const ask = async (askers: typeof sockets) => {
      events.length = 0
      const answers = askers.map((socket) => once(socket, 'data'))
      // both ends are in this process: before the server reads the first, all are there
      for (const socket of askers) socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n')
      await Promise.all(answers)
      return events.join(' ')
    }
    try {
      expect(await ask(sockets.slice(0, 1))).to.equal('ready written')
      expect(await ask(sockets)).to.equal('ready ready ready written written written')
    } finally {
      for (const socket of sockets) socket.destroy()
      server.close()
    }
  })
})
