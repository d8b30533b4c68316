import cluster from 'node:cluster'

import { openPrimaryLink } from './cluster/primary-link.js'
import { serveAsWorker } from './cluster/serve-as-worker.js'
import { readConfig } from './config.js'
import { createLogger, standardOutput } from './log/create-logger.js'
import { logUncaught } from './log/log-uncaught.js'

// One of several processes that answer requests (WORKERS). Its primary, src/cli/serve.ts, starts it and tells it what
// to do.

process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
})

// A terminal, or whoever stops a whole group of processes, signals this one too: the primary says when it is time.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined)

const { worker } = cluster
if (worker === undefined) throw new Error('a worker is started by "linkgate serve"')
const primaryGone = new Promise<void>((resolve) => {
  worker.once('disconnect', () => {
    // node would end this process at this moment, and cut off the requests in flight
    worker.exitedAfterDisconnect = true
    resolve()
  })
})

const config = readConfig()
const log = createLogger(config.logLevel, standardOutput({ shared: true })).child({ worker: worker.id })
logUncaught(log)
process.exit(await serveAsWorker({ config, link: openPrimaryLink(process), primaryGone, log }))
