import Mocha from 'mocha'

const { EVENT_RUN_END, EVENT_TEST_PENDING } = Mocha.Runner.constants

/** Mocha's dots and summary; then each pending test by name, and how it went in one line. */
export default class Summary extends Mocha.reporters.Dot {
  constructor(runner, options) {
    super(runner, options)
    const pending = []
    runner.on(EVENT_TEST_PENDING, (test) => {
      pending.push(test.fullTitle())
    })
    runner.once(EVENT_RUN_END, () => {
      for (const name of pending) process.stdout.write(`  pending: ${name}\n`)
      const { passes, failures } = this.stats
      process.stdout.write(`  ${passes} passed, ${pending.length} pending, ${failures} failed\n\n`)
    })
  }
}
