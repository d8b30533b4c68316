import { spawnSync } from 'node:child_process'

import { expect } from 'chai'

import { PACKAGE_ROOT } from '../../src/config.js'

const LOGGER = new URL('dist/log/create-logger.js', PACKAGE_ROOT).href
const UNCAUGHT = new URL('dist/log/log-uncaught.js', PACKAGE_ROOT).href

/** What a process wrote that logged two lines and then came to its end in this way. */
const outputOf = (end: string): readonly string[] =>
  spawnSync(
    process.execPath,
    [
      '--input-type=module',
      '--eval',
      `
  import { createLogger, standardOutput } from ${JSON.stringify(LOGGER)}
  const log = createLogger('info', standardOutput({ shared: false }))
  log.info('one')
  log.info('two')
  ${end}`,
    ],
    { encoding: 'utf8' },
  )
    .stdout.split('\n')
    .flatMap((line) => /"msg":"(\w+)"/.exec(line)?.[1] ?? [])

describe('an error that nothing caught', () => {
  for (const [how, end] of Object.entries({
    thrown: `throw new Error('unforeseen')`,
    'of a promise': `void Promise.reject(new Error('unforeseen')); await new Promise((resolve) => { setTimeout(resolve, 1000) })`,
  })) {
    it(`is the last line of the log, ${how}, and ends the process all the same`, () => {
      const { stdout, status } = spawnSync(
        process.execPath,
        [
          '--input-type=module',
          '--eval',
          `
        import { createLogger, standardOutput } from ${JSON.stringify(LOGGER)}
        import { logUncaught } from ${JSON.stringify(UNCAUGHT)}
        logUncaught(createLogger('info', standardOutput({ shared: false })))
        ${end}`,
        ],
        { encoding: 'utf8' },
      )
      expect(status).to.equal(1)
      expect(stdout.trimEnd().split('\n').at(-1)).to.match(
        /^\{"level":60,.*unforeseen.*"an error that nothing caught ends the process"\}$/,
      )
    })
  }
})

describe('lines that wait in memory', () => {
  for (const [how, end] of Object.entries({
    'comes to its end': '',
    'is told to exit': 'process.exit(1)',
    'fails with an error that nobody caught': `throw new Error('unforeseen')`,
    'fails with a rejection that nobody caught': `await new Promise((resolve) => { setImmediate(resolve) }); void Promise.reject(new Error('unforeseen')); await new Promise(() => undefined)`,
  }))
    it(`are written when the process ${how}`, () => {
      expect(outputOf(end)).to.deep.equal(['one', 'two'])
    })

  for (const shared of [false, true])
    it(`are written once each and in order, also where they are many (${shared ? 'beside other processes' : 'alone'})`, () => {
      const { stdout } = spawnSync(
        process.execPath,
        [
          '--input-type=module',
          '--eval',
          `
      import { createLogger, standardOutput } from ${JSON.stringify(LOGGER)}
      const log = createLogger('info', standardOutput({ shared: ${shared} }))
      for (let n = 0; n < 2000; n += 1) {
        log.info({ n, name: 'é'.repeat(n % 90) }, 'many')
        if (n % 100 === 0) await new Promise((resolve) => { setImmediate(resolve) })
      }`,
        ],
        { encoding: 'utf8' },
      )
      expect(
        stdout
          .trimEnd()
          .split('\n')
          .map((line) => /"n":(\d+),"name":"é*","msg":"many"\}$/.exec(line)?.[1]),
      ).to.deep.equal(Array.from({ length: 2_000 }, (_, n) => String(n)))
    })

  it('are written soon, without an end', () => {
    // ended from outside, long after the lines should be there
    expect(outputOf(`setTimeout(() => process.kill(process.pid, 'SIGKILL'), 600)`)).to.deep.equal(['one', 'two'])
  })

  it('are lost where the process is killed at once', () => {
    expect(outputOf(`process.kill(process.pid, 'SIGKILL')`)).to.deep.equal([])
  })
})
