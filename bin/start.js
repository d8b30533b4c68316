import { NOT_BUILT, build, canBuild, isBuilt, main, stop } from './build.js'

// What `npm start` runs: `linkgate serve`, as the sources are now. One process, so that a signal reaches the service.
if (canBuild()) {
  // a person at a terminal would wonder
  if (!isBuilt() && process.stderr.isTTY) process.stderr.write('Building, this first time alone …\n')
  build()
} else if (!isBuilt()) stop(NOT_BUILT)
process.argv.splice(2, 0, 'serve')
await import(main.href)
