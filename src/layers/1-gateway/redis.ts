import type { Redis } from 'ioredis'

/**
 * If Redis is down or frozen, commands fail within about 100 ms instead of queueing. A connection without an answer for
 * that long is closed, so later requests do not wait for it. So is one to a server that has become a replica, because
 * the address may lead to the new primary by now. A reconnect is tried every half second.
 */
export const REDIS_OPTIONS = {
  enableOfflineQueue: false,
  maxRetriesPerRequest: 0,
  commandTimeout: 100,
  socketTimeout: 100,
  connectTimeout: 1_000,
  retryStrategy: () => 500,
  // Redis 6 reports the error of a command in a script with other words before it
  reconnectOnError: ({ message }: Error) => message.includes('READONLY'),
} as const

/**
 * Opens the Redis client that counts for all nodes, without waiting for the connection. Calls `onChange` with the first
 * error of an outage, and with null whenever Redis is ready.
 */
export const openRedis = async (url: string, onChange: (fault: unknown) => void): Promise<Redis> => {
  // Loaded on demand: it is as large as a web framework.
  const { Redis } = await import('ioredis')
  const redis = new Redis(url, REDIS_OPTIONS)
  // Each attempt at a hanging server fails with two errors in turn.
  let away = false
  redis.on('error', (error) => {
    if (!away) onChange(error)
    away = true
  })
  redis.on('ready', () => {
    away = false
    onChange(null)
  })
  return redis
}
