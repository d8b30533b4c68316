import type { Redis } from 'ioredis'

/**
 * A Redis that is away or frozen is an error within about 100 ms, never a queue. One that answers nothing for so long
 * loses its connection, so that later requests do not wait for it; a new connection is tried every half second.
 */
export const REDIS_OPTIONS = {
  enableOfflineQueue: false,
  maxRetriesPerRequest: 0,
  commandTimeout: 100,
  socketTimeout: 100,
  connectTimeout: 1_000,
  retryStrategy: () => 500,
} as const

/**
 * Opens the Redis that counts for all nodes, without waiting for it. Calls `onChange` with each fault, and with null
 * whenever Redis is ready.
 */
export const openRedis = async (url: string, onChange: (fault: unknown) => void): Promise<Redis> => {
  // Loaded only where it is used: it is as large as a web framework.
  const { Redis } = await import('ioredis')
  const redis = new Redis(url, REDIS_OPTIONS)
  redis.on('error', onChange)
  redis.on('ready', () => onChange(null))
  return redis
}
