import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'

import { PACKAGE_ROOT } from '../src/config.js'
import { childrenOf, cpuSecondsOf } from './process-time.js'

/** A server in a process of its own, as its users would run it. */
export interface BenchServer {
  readonly url: string
  /** processor time that it and its workers have used so far, in seconds */
  cpuSeconds(): Promise<number>
  /** resident memory, in bytes: now, and the most there ever was */
  memory(): Promise<{ readonly now: number; readonly peak: number }>
  /** resident memory of each of its workers, in bytes */
  workers(): Promise<readonly number[]>
  stop(): Promise<void>
}

/** Starts it and waits for the URL that it prints. What it writes is read and dropped, as a log collector would. */
export const startServer = async (
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<BenchServer> => {
  const child = spawn(process.execPath, [...args], {
    cwd: fileURLToPath(PACKAGE_ROOT),
    env: { PATH: process.env['PATH'], HOME: process.env['HOME'], ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const url = await new Promise<string>((resolve, reject) => {
    let output = ''
    const read = (chunk: string) => {
      output += chunk
      const found = /"url":"(http:[^"]+)"[^\n]*listening/.exec(output)?.[1]
      if (found === undefined) return
      child.stdout.off('data', read).resume()
      resolve(found)
    }
    child.stdout.setEncoding('utf8').on('data', read)
    child.once('exit', (code) => reject(new Error(`a server ended with ${code}: ${output}`)))
  })
  const field = async (name: string, pid = child.pid) =>
    Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(await readFile(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1_024
  const pid = child.pid ?? 0
  return {
    url,
    cpuSeconds: () => cpuSecondsOf(pid),
    memory: async () => ({ now: await field('VmRSS'), peak: await field('VmHWM') }),
    workers: async () => Promise.all((await childrenOf(pid)).map((worker) => field('VmRSS', worker))),
    stop: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return
      const ended = once(child, 'exit')
      child.kill('SIGTERM')
      await ended
    },
  }
}

/** Tracks started servers; `stopAll` stops them, newest first. */
export const collectServers = () => {
  const servers: BenchServer[] = []
  return {
    servers,
    started: async (starting: Promise<BenchServer>): Promise<BenchServer> => {
      const server = await starting
      servers.push(server)
      return server
    },
    stopAll: async (): Promise<void> => {
      for (const server of servers.toReversed()) await server.stop()
    },
  }
}

/** A subject of bench/subjects. */
export const startSubject = (name: string, environment: Readonly<Record<string, string>> = {}): Promise<BenchServer> =>
  startServer(['--import', 'tsx/esm', fileURLToPath(new URL(`subjects/${name}.ts`, import.meta.url))], environment)

/**
 * Linkgate, from dist/, with every layer, record and log line that it has by default; its limits count, and refuse
 * nobody here.
 */
export const startLinkgate = (environment: Readonly<Record<string, string>>): Promise<BenchServer> =>
  startServer([fileURLToPath(new URL('bin/linkgate.js', PACKAGE_ROOT)), 'serve'], {
    PORT: '0',
    RATE_LIMIT_ANONYMOUS: '9999999/60',
    RATE_LIMIT_USER: '9999999/60',
    RATE_LIMIT_SIGN_IN: '9999999/60',
    ...environment,
  })
