import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

import { PACKAGE_ROOT } from '../src/config.js'
import { makeTemporaryFolder } from '../test/support/temporary-folder.js'
import { measure } from './measure.js'
import type { Suite } from './report.js'

const LINKGATE = fileURLToPath(new URL('bin/linkgate.js', PACKAGE_ROOT))

/** Starts the service on a data folder, waits for its first answer over HTTP, and ends it; the end is not measured. */
const startOnce = async (dataDir: string): Promise<() => Promise<void>> => {
  const child = spawn(process.execPath, [LINKGATE, 'serve'], {
    env: { ...process.env, DATA_DIR: dataDir, PORT: '0', LOG_LEVEL: 'info', DATABASE_URL: '', BASE_URL: '' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const url = await new Promise<string>((resolve, reject) => {
    let output = ''
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      output += chunk
      const found = /"url":"(http:[^"]+)"/.exec(output)?.[1]
      if (found !== undefined) resolve(found)
    })
    child.once('exit', (code) => reject(new Error(`the service ended with ${code}`)))
  })
  const ready = await fetch(`${url}/readyz`)
  if (!ready.ok) throw new Error(`the service is not ready: ${await ready.text()}`)
  return async () => {
    child.kill('SIGTERM')
    await once(child, 'exit')
  }
}

/** From the command to the first answer: on an empty folder, and on one that was used before. */
export const startSuite = async (): Promise<Suite> => {
  const folder = await makeTemporaryFolder('linkgate-bench-')
  let running: (() => Promise<void>) | undefined
  let fresh = 0
  const start = (dataDir: () => string) => async () => {
    running = await startOnce(dataDir())
  }
  const after = async () => {
    await running?.()
    running = undefined
  }
  try {
    const measured = await measure(
      [
        { name: 'warm start to ready', batch: 1, run: start(() => join(folder, 'warm')), after },
        {
          name: 'cold start to ready (empty folder)',
          batch: 1,
          run: start(() => join(folder, `cold-${(fresh += 1)}`)),
          after,
        },
      ],
      { rounds: 5, warmups: 1 },
    )
    return { title: 'Start', baseline: 'warm start to ready', unit: 'ms', measured }
  } finally {
    await after()
    await rm(folder, { recursive: true, force: true })
  }
}
