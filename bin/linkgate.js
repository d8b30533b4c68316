#!/usr/bin/env node
import { NOT_BUILT, build, canBuild, isBuilt, main, stop } from './build.js'

// A fresh checkout has no dist/ before its first `npm start`; the command line works there all the same.
if (!isBuilt()) {
  if (!canBuild()) stop(NOT_BUILT)
  build()
}
await import(main.href)
