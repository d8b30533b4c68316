import { spawn, spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

import { PACKAGE_ROOT } from '../../src/config.js'
import { until, within } from './until.js'

/** Node has no pseudo-terminals; util-linux's `script` has. Those of other systems take other options. */
export const hasTerminals = (): boolean =>
  spawnSync('script', ['--version'], { encoding: 'utf8' }).stdout?.includes('util-linux') ?? false

export const CTRL_C = '\u0003'

/** `linkgate …` as somebody runs it at a terminal of 80 columns. */
export interface AtTerminal {
  /** all that the terminal got so far, with the escapes of colours and `\r\n` */
  readonly shown: () => string
  /** resolves with the first match, past or future */
  readonly untilShown: (pattern: RegExp) => Promise<RegExpExecArray>
  /** types keys, such as CTRL_C */
  readonly type: (keys: string) => void
  /** the exit code */
  readonly ended: Promise<number | null>
  /** closes the terminal, as its window would */
  readonly close: () => void
  /** ends it where it has not ended yet */
  readonly stop: () => Promise<void>
}

export const runAtTerminal = (args: string, settings: Readonly<Record<string, string>>): AtTerminal => {
  const child = spawn(
    'script',
    ['--quiet', '--return', '--flush', '--command', `stty cols 80; exec node bin/linkgate.js ${args}`, '/dev/null'],
    {
      cwd: fileURLToPath(PACKAGE_ROOT),
      stdio: ['pipe', 'pipe', 'inherit'],
      env: { PATH: process.env['PATH'], HOME: process.env['HOME'], SHELL: '/bin/sh', TERM: 'xterm', ...settings },
    },
  )
  let shown = ''
  child.stdout.setEncoding('utf8').on('data', (text) => {
    shown += String(text)
  })
  // it may have ended before what is typed arrives
  child.stdin.on('error', () => undefined)
  const ended = new Promise<number | null>((resolve) => {
    child.once('close', resolve)
  })
  const untilShown = (pattern: RegExp) =>
    until(
      `the terminal shows ${pattern}`,
      () => {
        const found = pattern.exec(shown)
        if (found === null && child.exitCode !== null) throw new Error(`it ended: ${shown}`)
        return found ?? false
      },
      { withinMs: 60_000 },
    )
  return {
    shown: () => shown,
    untilShown,
    type: (keys) => {
      child.stdin.write(keys)
    },
    ended,
    close: () => {
      child.kill('SIGKILL')
    },
    stop: async () => {
      child.stdin.write(CTRL_C)
      // the program does not listen to it: the end of `script` closes the terminal, and that ends what runs there
      await within('it ends by Ctrl-C', ended).catch(() => child.kill('SIGTERM'))
      await ended
    },
  }
}
