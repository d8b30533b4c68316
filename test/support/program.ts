import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { readdirSync, statSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

import { PACKAGE_ROOT } from '../../src/config.js'

const ROOT = fileURLToPath(PACKAGE_ROOT)

const newestIn = (folder: URL): number =>
  Math.max(
    ...readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((each) => each.isFile())
      .map((each) => statSync(`${each.parentPath}/${each.name}`).mtimeMs),
  )

/** Builds dist/ where it is missing or older than src/ (`npm test` has built it before). */
export const requireBuilt = (): void => {
  const built = statSync(new URL('dist/.tsbuildinfo', PACKAGE_ROOT), { throwIfNoEntry: false })
  if (built && built.mtimeMs >= newestIn(new URL('src/', PACKAGE_ROOT))) return
  const { status, stdout, stderr } = spawnSync('npm', ['run', '--silent', 'build'], { cwd: ROOT, encoding: 'utf8' })
  if (status !== 0) throw new Error(`the build failed: ${stdout}${stderr}`)
}

export interface Ended {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly stdout: string
  readonly stderr: string
}

/** The program as a process of its own. */
export interface Program {
  readonly child: ChildProcess
  /** the base URL, once it is printed; rejects where the process ends before */
  readonly url: Promise<string>
  readonly ended: Promise<Ended>
  /** what it printed so far */
  readonly said: () => string
}

/** Runs `linkgate …` from dist/ with these settings and no others. */
export const runProgram = (args: readonly string[], settings: Readonly<Record<string, string>>): Program => {
  const child = spawn(process.execPath, ['bin/linkgate.js', ...args], {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: process.env['PATH'], HOME: process.env['HOME'], LOG_LEVEL: 'silent', ...settings },
  })
  let stdout = ''
  let stderr = ''
  child.stderr.setEncoding('utf8').on('data', (text) => {
    stderr += String(text)
  })
  const url = new Promise<string>((resolve, reject) => {
    child.stdout.setEncoding('utf8').on('data', (text) => {
      stdout += String(text)
      const [, found] = /Linkgate listens on (\S+)\n[^]*Ctrl-C/.exec(stdout) ?? []
      if (found !== undefined) resolve(found)
    })
    child.on('close', () => reject(new Error(`ended before it listened: ${stderr}`)))
  })
  url.catch(() => undefined)
  const ended = new Promise<Ended>((resolve) => {
    child.on('close', (code, signal) => resolve({ code, signal, stdout, stderr }))
  })
  return { child, url, ended, said: () => stdout }
}
