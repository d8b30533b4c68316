import cluster from 'node:cluster'

import { serveAsWorker } from './cluster/serve-as-worker.js'
import { readConfig } from './config.js'
import { createLogger, logUncaught, standardOutput } from './log/create-logger.js'
import { lineFormat } from './log/line-format.js'
import { endureUnreadOutput } from './log/unread-output.js'

// One of several processes that answer requests (WORKERS). Its primary (src/cluster/start-workers.ts) starts it and
// tells it what to do.

endureUnreadOutput()

// A terminal and a service manager signal every process of a group. The primary says when to stop.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined)

const { worker } = cluster
if (worker === undefined) throw new Error('a worker is started by "linkgate serve"')

const config = readConfig()
const format = lineFormat(config.logFormat)
const log = createLogger(config.logLevel, standardOutput({ shared: true }), format).child({ worker: worker.id })
logUncaught(log)
process.exit(await serveAsWorker({ config, worker, log }))
