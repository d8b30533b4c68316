import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'

import { expect } from 'chai'

import { PACKAGE_ROOT } from '../../src/config.js'

const LOGGER = new URL('dist/log/create-logger.js', PACKAGE_ROOT).href

/** Runs a process that logs two lines, and then this. */
const run = (end: string, { shared = false } = {}) =>
  spawnSync(
    process.execPath,
    [
      '--input-type=module',
      '--eval',
      `
      import { createLogger, logUncaught, standardOutput } from ${JSON.stringify(LOGGER)}
      const log = createLogger('info', standardOutput({ shared: ${shared} }))
      log.info('one')
      log.info('two')
      ${end}`,
    ],
    { encoding: 'utf8' },
  )

/** The messages that such a process logged. */
const messagesOf = (end: string): readonly string[] =>
  run(end)
    .stdout.split('\n')
    .flatMap((line) => /"msg":"(\w+)"/.exec(line)?.[1] ?? [])

const LATER_REJECTION = `
  await new Promise((resolve) => { setImmediate(resolve) })
  void Promise.reject(new Error('unforeseen'))
  await new Promise(() => undefined)`

describe('an uncaught error', () => {
  for (const [how, end] of Object.entries({
    thrown: `throw new Error('unforeseen')`,
    'of a promise': LATER_REJECTION,
  })) {
    it(`is the last line of the log, ${how}, and ends the process all the same`, () => {
      const { stdout, status } = run(`logUncaught(log); ${end}`)
      expect(status).to.equal(1)
      expect(stdout.trimEnd().split('\n').at(-1)).to.match(
        /^\{"level":60,.*unforeseen.*"uncaught error: the process ends"\}$/,
      )
    })
  }
})

describe('buffered lines', () => {
  for (const [how, end] of Object.entries({
    'comes to its end': '',
    'is told to exit': 'process.exit(1)',
    'fails with an uncaught error': `throw new Error('unforeseen')`,
    'fails with an unhandled rejection': LATER_REJECTION,
  }))
    it(`are written when the process ${how}`, () => {
      expect(messagesOf(end)).to.deep.equal(['one', 'two'])
    })

  for (const shared of [false, true])
    it(`are written once each and in order, also many of them (${shared ? 'beside other processes' : 'alone'})`, () => {
      const { stdout } = run(
        `for (let n = 0; n < 2000; n += 1) {
          log.info({ n, name: 'é'.repeat(n % 90) }, 'many')
          if (n % 100 === 0) await new Promise((resolve) => { setImmediate(resolve) })
        }`,
        { shared },
      )
      expect(
        stdout
          .trimEnd()
          .split('\n')
          .slice(2)
          .map((line) => /"n":(\d+),"name":"é*","msg":"many"\}$/.exec(line)?.[1]),
      ).to.deep.equal(Array.from({ length: 2_000 }, (_, n) => String(n)))
    })

  it('are written without an end of the process, too', async () => {
    const child = spawn(process.execPath, [
      '--input-type=module',
      '--eval',
      `import { createLogger, standardOutput } from ${JSON.stringify(LOGGER)}
       createLogger('info', standardOutput({ shared: false })).info('one')
       setInterval(() => undefined, 1_000)`,
    ])
    try {
      const [chunk]: unknown[] = await once(child.stdout, 'data')
      expect(String(chunk)).to.include('"msg":"one"')
    } finally {
      child.kill('SIGKILL')
    }
  })

  it('are lost where the process is killed at once', () => {
    expect(messagesOf(`process.kill(process.pid, 'SIGKILL')`)).to.deep.equal([])
  })
})
