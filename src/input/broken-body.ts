import type { IncomingMessage } from 'node:http'

const broken = new WeakMap<IncomingMessage, Error>()

/** Tells whoever reads this request's body, now or later, that the rest of it cannot be read. */
export const breakBody = (request: IncomingMessage, error: Error): void => {
  broken.set(request, error)
  // without a listener it would end the process
  if (request.listenerCount('error') > 0) request.emit('error', error)
}

/** Why the rest of the body cannot be read; undefined while it can. */
export const faultOfBody = (request: IncomingMessage): Error | undefined => broken.get(request)
