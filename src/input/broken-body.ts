import type { IncomingMessage } from 'node:http'

const broken = new WeakMap<IncomingMessage, Error>()

/** Marks the rest of a request's body as unreadable, for current and later readers. */
export const breakBody = (request: IncomingMessage, error: Error): void => {
  broken.set(request, error)
  // without a listener, the event would end the process
  if (request.listenerCount('error') > 0) request.emit('error', error)
}

/** Why the rest of the body cannot be read; undefined while it can. */
export const faultOfBody = (request: IncomingMessage): Error | undefined => broken.get(request)
