#!/usr/bin/env node
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

// A fresh checkout has no dist/ before its first `npm start`; the command line works there all the same.
const root = fileURLToPath(new URL('..', import.meta.url))
const main = new URL('../dist/main.js', import.meta.url)
if (!existsSync(main)) {
  const compiler = fileURLToPath(new URL('../node_modules/typescript/bin/tsc', import.meta.url))
  const built =
    existsSync(compiler) &&
    spawnSync(process.execPath, [compiler, '-p', 'tsconfig.build.json'], { cwd: root, stdio: ['ignore', 2, 2] })
      .status === 0
  if (!built) {
    process.stderr.write('linkgate: not built yet, and it cannot be built: run "npm ci" first\n')
    process.exit(1)
  }
}
await import(main.href)
