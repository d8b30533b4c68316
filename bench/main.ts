import { canSuite } from './can.js'
import { httpSuites } from './http.js'
import { propagationSuite } from './propagation.js'
import { policyScaleSuite } from './policy-scale.js'
import { printEnvironment, printSuite, writeResults } from './report.js'
import type { Suite } from './report.js'
import { replaySuite } from './replay.js'
import { scaleSuites } from './scale.js'
import { startSuite } from './start.js'
import { storageSuites } from './storage.js'
import { plotVerdicts } from './plot.js'
import { judge, printVerdicts } from './targets.js'
import { transactionSuite } from './transaction.js'
import { workerSuites } from './workers.js'

printEnvironment()
const suites: Suite[] = []
for (const measureSuites of [canSuite, policyScaleSuite, replaySuite, transactionSuite, httpSuites, scaleSuites, propagationSuite, startSuite, workerSuites, storageSuites]) {
  for (const suite of [await measureSuites()].flat()) {
    printSuite(suite)
    suites.push(suite)
  }
}
const verdicts = judge(suites)
printVerdicts(verdicts)
await writeResults(suites, verdicts)
await plotVerdicts(verdicts, new URL('../docs/performance.svg', import.meta.url))
