import { Agent, createServer, request } from 'node:http'

export interface Balancer {
  readonly url: string
  close(): Promise<void>
}

/** A balancer as small as one can be: each request goes to the next of the nodes, and nothing is sent twice. */
export const startBalancer = async (targets: readonly string[]): Promise<Balancer> => {
  const agent = new Agent({ keepAlive: true })
  let turn = 0
  const server = createServer((incoming, outgoing) => {
    const target = targets[turn++ % targets.length]
    const onward = request(
      `${target}${incoming.url}`,
      { agent, method: incoming.method, headers: incoming.headers },
      (answer) => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
        answer.pipe(outgoing)
      },
    )
    onward.on('error', () => {
      if (outgoing.headersSent) outgoing.destroy()
      else outgoing.writeHead(502).end()
    })
    incoming.pipe(onward)
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no address')
  return {
    url: `http://127.0.0.1:${address.port}`,
    close: async () => {
      agent.destroy()
      server.closeAllConnections()
      await new Promise<void>((resolve) => {
        server.close(() => resolve())
      })
    },
  }
}
