import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const compiler = fileURLToPath(new URL('../node_modules/typescript/bin/tsc', import.meta.url))

/** The program, built. */
export const main = new URL('../dist/main.js', import.meta.url)

export const isBuilt = () => existsSync(main)

/** False after `npm ci --omit=dev`. */
export const canBuild = () => existsSync(compiler)

/** As `npm run build` does. */
const STEPS = [
  [compiler, '-p', 'tsconfig.build.json'],
  [compiler, '-p', 'src/docs/browser'],
  ['dist/docs/build/write-site.js'],
  ['dist/console-bundle/build.js'],
]

/** Builds dist/, in a moment where nothing changed; ends the process where a step fails. */
export const build = () => {
  for (const step of STEPS) {
    const { status } = spawnSync(process.execPath, step, { cwd: root, stdio: ['ignore', 2, 2] })
    if (status !== 0) stop('it cannot be built: see above')
  }
}

/** Ends the process with one line. */
export const stop = (why) => {
  process.stderr.write(`linkgate: ${why}\n`)
  process.exit(1)
}

export const NOT_BUILT =
  'not built yet, and the compiler is not installed: run "npm ci && npm run build" once, with development dependencies'
