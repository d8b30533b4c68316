import type { Redis } from 'ioredis'

/**
 * A Redis that is away or frozen is an error within about 100 ms, never a queue. It tries to connect again at least
 * every half second.
 */
export const REDIS_OPTIONS = {
  enableOfflineQueue: false,
  maxRetriesPerRequest: 0,
  commandTimeout: 100,
  connectTimeout: 1_000,
  retryStrategy: (attempt: number) => Math.min(attempt * 50, 500),
} as const

/**
 * Opens the Redis that counts for all nodes; waits for nothing. `onChange` is told of each fault, and null whenever it
 * is there.
 */
export const openRedis = async (url: string, onChange: (fault: unknown) => void): Promise<Redis> => {
  // as large as a web framework, and rarely asked for
  const { Redis } = await import('ioredis')
  const redis = new Redis(url, REDIS_OPTIONS)
  redis.on('error', onChange)
  redis.on('ready', () => onChange(null))
  return redis
}
