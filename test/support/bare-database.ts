import { Pool, type ClientConfig } from 'pg'

/** SQL as the role that the connection names; kept between questions, and ended with the cluster or the process. */
export type AskDatabase = <Row extends Record<string, unknown>>(
  text: string,
  values?: readonly unknown[],
) => Promise<readonly Row[]>

export const withPool = (connection: ClientConfig): AskDatabase => {
  const pool = new Pool({ ...connection, max: 2, allowExitOnIdle: true })
  pool.on('error', () => undefined)
  return async (text, values = []) => (await pool.query(text, [...values])).rows
}
