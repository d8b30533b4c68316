import { canSuite } from './can.js'
import { printEnvironment, printSuite, writeResults } from './report.js'
import type { Suite } from './report.js'
import { startSuite } from './start.js'
import { transactionSuite } from './transaction.js'

printEnvironment()
const suites: Suite[] = []
for (const suite of [canSuite, transactionSuite, startSuite]) {
  const result = await suite()
  printSuite(result)
  suites.push(result)
}
await writeResults(suites)
