import { spawn, spawnSync, type SpawnSyncOptions } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync } from 'node:fs'

import { expect } from 'chai'

import { PACKAGE_ROOT } from '../../src/config.js'
import { requireBuilt } from '../support/program.js'

const LOGGER = new URL('dist/log/create-logger.js', PACKAGE_ROOT).href

/** Runs a process that logs two lines, and then this. */
const run = (end: string, { shared = false, ...options }: { readonly shared?: boolean } & SpawnSyncOptions = {}) =>
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
    { ...options, encoding: 'utf8' },
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
  before(requireBuilt)

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
  before(requireBuilt)

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

  it('are kept while the disk is full, and written once it is not', () => {
    const messages = messagesOf(`
      const { default: fs } = await import('node:fs')
      const { write } = fs
      let failed = 0
      const written = new Promise((resolve) => {
        fs.write = (fd, bytes, done) => {
          if (failed++ < 3) return done(Object.assign(new Error('no space'), { code: 'ENOSPC' }))
          fs.write = write
          write(fd, bytes, (...result) => {
            done(...result)
            resolve()
          })
        }
      })
      log.info('three')
      setInterval(() => undefined, 1_000)
      await written
      log.info('four')
      process.exit()`)
    expect(messages).to.deep.equal(['one', 'two', 'three', 'four'])
  })

  it('do not keep the process from exiting where the disk is full', () => {
    const full = openSync('/dev/full', 'w')
    const end = `setTimeout(() => process.exit(3), 500); await new Promise(() => undefined)`
    const { status } = run(end, { stdio: ['ignore', full, 'ignore'], timeout: 20_000 })
    closeSync(full)
    expect(status).to.equal(3)
  })

  it('are lost beyond a bound while nobody reads, and the next one says how many', async () => {
    const child = spawn(process.execPath, [
      '--input-type=module',
      '--eval',
      `import { createLogger, standardOutput } from ${JSON.stringify(LOGGER)}
       const log = createLogger('info', standardOutput({ shared: false }))
       for (let n = 0; n < 200; n += 1) {
         for (let i = 0; i < 100; i += 1) log.info({ name: 'x'.repeat(1_000) }, 'many')
         await new Promise((resolve) => { setImmediate(resolve) })
       }
       process.stderr.write('written')
       setInterval(() => undefined, 1_000)`,
    ])
    try {
      await once(child.stderr, 'data')
      let lines = 0
      let rest = ''
      for await (const chunk of child.stdout) {
        const parts = `${rest}${String(chunk)}`.split('\n')
        rest = parts.pop() ?? ''
        const told = parts.find((line) => line.includes('log lines were lost'))
        lines += parts.filter((line) => line.includes('"msg":"many"')).length
        if (told === undefined) continue
        const lost = Number(/"lines":(\d+)/.exec(told)?.[1])
        expect(lost).to.be.greaterThan(10_000)
        break
      }
      expect(lines).to.be.greaterThan(0)
    } finally {
      child.kill('SIGKILL')
    }
  })

  it('are lost where the process is killed at once', () => {
    expect(messagesOf(`process.kill(process.pid, 'SIGKILL')`)).to.deep.equal([])
  })
})
