import { spawnSync } from 'node:child_process'

import { expect } from 'chai'

import { PACKAGE_ROOT } from '../../src/config.js'
import { requireBuilt } from '../support/program.js'

/** A process of its own, because the signals of this one are the test run's. */
const PROGRAM = `
  import { onSignals } from '${new URL('dist/cli/signals.js', PACKAGE_ROOT)}'
  const signals = onSignals()
  const stages = []
  signals.first.then(() => stages.push('first'))
  signals.second.then(() => stages.push('second'))
  const told = (signal) => {
    process.emit(signal)
    const listeners = ['SIGTERM', 'SIGINT', 'SIGHUP'].map((name) => process.listenerCount(name))
    return new Promise((resolve) => setImmediate(() => resolve([listeners, [...stages], signals.isStopping()])))
  }
  const said = [await told('SIGTERM'), await told('SIGTERM')]
  await new Promise((resolve) => setTimeout(resolve, 300))
  said.push(await told('SIGINT'))
  process.stdout.write(JSON.stringify(said))
`

/** A command that gets a signal while it stops its database. */
const STOPPED = `
  import { writeSync } from 'node:fs'
  import { whileOpen } from '${new URL('dist/cli/session.js', PACKAGE_ROOT)}'
  let leaving
  const stop = async () => {
    process.kill(process.pid, 'SIGTERM')
    await new Promise((resolve) => setTimeout(resolve, 100))
    writeSync(1, 'stopped')
  }
  const leave = () => (leaving ??= stop())
  await whileOpen({}, Promise.resolve({ leave }), async () => undefined)
`

describe('the signal of a command', () => {
  before(requireBuilt)

  it('ends it only after its database has stopped, also where it comes while that stops', () => {
    const { stdout, signal } = spawnSync(process.execPath, ['--input-type=module', '-e', STOPPED], { encoding: 'utf8' })
    expect({ stdout, signal }).to.deep.equal({ stdout: 'stopped', signal: 'SIGTERM' })
  })
})

describe('the signals of a service', () => {
  before(requireBuilt)

  it('always have a listener until the second one, so that an echo of the first does not end the process', () => {
    const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', PROGRAM], { encoding: 'utf8' })
    expect(stderr).to.equal('')
    const [first, echo, second]: unknown[] = JSON.parse(stdout)
    expect(first, 'the first').to.deep.equal([[1, 1, 1], ['first'], true])
    expect(echo, 'its echo').to.deep.equal([[1, 1, 1], ['first'], true])
    expect(second, 'the second').to.deep.equal([[0, 0, 0], ['first', 'second'], true])
  })
})
