import Mocha from 'mocha'

const { EVENT_RUN_END, EVENT_TEST_PENDING, EVENT_TEST_RETRY } = Mocha.Runner.constants

/**
 * Mocha's dots and summary; then by name each pending test, and each that failed once and passed when it was tried again
 * (a busy machine, or a fault that wants to be found); and how it went in one line.
 */
export default class Summary extends Mocha.reporters.Dot {
  constructor(runner, options) {
    super(runner, options)
    const pending = []
    const retried = []
    runner.on(EVENT_TEST_PENDING, (test) => {
      pending.push(test.fullTitle())
    })
    runner.on(EVENT_TEST_RETRY, (test, error) => {
      retried.push(`${test.fullTitle()}: ${error?.message?.split('\n')[0]}`)
    })
    runner.once(EVENT_RUN_END, () => {
      for (const name of pending) process.stdout.write(`  pending: ${name}\n`)
      for (const name of retried) process.stdout.write(`  tried again: ${name}\n`)
      const { passes, failures } = this.stats
      process.stdout.write(`  ${passes} passed, ${pending.length} pending, ${failures} failed\n\n`)
    })
  }
}
