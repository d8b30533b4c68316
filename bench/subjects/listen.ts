import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'

/** Serves a subject of the bench on a free port, and tells its parent which. */
export const listen = (handler: (req: IncomingMessage, res: ServerResponse) => unknown): Server =>
  createServer(handler).listen(0, '127.0.0.1', function (this: Server) {
    const address = this.address()
    if (typeof address === 'object' && address !== null)
      process.stdout.write(`${JSON.stringify({ url: `http://127.0.0.1:${address.port}` })} listening\n`)
  })
