import { canSuite } from './can.js'
import { consoleSuite } from './console.js'
import { httpSuites } from './http.js'
import { limitSuite } from './limits.js'
import { linkSuites } from './links.js'
import { propagationSuite } from './propagation.js'
import { policyScaleSuite } from './policy-scale.js'
import { printEnvironment, printSuite, writeResults, type Suite } from './report.js'
import { replaySuite } from './replay.js'
import { scaleSuites } from './scale.js'
import { startSuite } from './start.js'
import { storageSuites } from './storage.js'
import { plotVerdicts } from './plot.js'
import { judge, printVerdicts } from './targets.js'
import { visitSuites } from './visits.js'
import { transactionSuite } from './transaction.js'
import { workerSuites } from './workers.js'

const SUITES: Readonly<Record<string, () => Promise<Suite | readonly Suite[]>>> = {
  can: canSuite,
  'policy-scale': policyScaleSuite,
  replay: replaySuite,
  transaction: transactionSuite,
  limits: limitSuite,
  http: httpSuites,
  links: linkSuites,
  visits: visitSuites,
  scale: scaleSuites,
  propagation: propagationSuite,
  start: startSuite,
  console: consoleSuite,
  workers: workerSuites,
  storage: storageSuites,
}

// All of them are one run, which is kept and held against the targets; those that are named are printed, and nothing
// else.
const named = process.argv.slice(2)
const unknown = named.filter((name) => !(name in SUITES))
if (unknown.length > 0) throw new Error(`no suite ${unknown.join(', ')}; there are ${Object.keys(SUITES).join(', ')}`)

printEnvironment()
const suites: Suite[] = []
for (const [name, measureSuites] of Object.entries(SUITES)) {
  if (named.length > 0 && !named.includes(name)) continue
  for (const suite of [await measureSuites()].flat()) {
    printSuite(suite)
    suites.push(suite)
  }
}
if (named.length === 0) {
  const verdicts = judge(suites)
  printVerdicts(verdicts)
  await writeResults(suites, verdicts)
  await plotVerdicts(verdicts, new URL('../docs/performance.svg', import.meta.url))
}
