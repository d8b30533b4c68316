import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { claimDataDir, openEmbeddedPostgres } from '../../src/embedded-postgres/embedded-postgres.js'

// A process of its own for the tests of the embedded PostgreSQL: `open|claim FOLDER`. Says a line, then waits.
const [, , task, dataDir = ''] = process.argv

const open = async (): Promise<string> => {
  const { socket } = await openEmbeddedPostgres({ dataDir })
  const [pid] = (await readFile(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8')).split('\n')
  return `${pid} ${socket.host}`
}

const claim = async (): Promise<string> => {
  await claimDataDir(dataDir)
  return 'claimed'
}

process.stdout.write(`${await (task === 'claim' ? claim() : open())}\n`)
setInterval(() => undefined, 1 << 30)
