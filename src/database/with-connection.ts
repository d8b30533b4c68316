import { Client, type ClientConfig } from 'pg'

/** Runs work on a connection of its own, outside the pool. */
export const withConnection = async <T>(connection: ClientConfig, work: (client: Client) => Promise<T>): Promise<T> => {
  const client = new Client({ ...connection, connectionTimeoutMillis: 5_000 })
  // the pending or next query rejects when a connection breaks
  client.on('error', () => undefined)
  try {
    await client.connect()
    return await work(client)
  } finally {
    await client.end().catch(() => undefined)
  }
}
