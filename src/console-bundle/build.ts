import { mkdir, rename, writeFile } from 'node:fs/promises'
import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'

import { build } from 'esbuild'

import { PACKAGE_ROOT } from '../config.js'
import { BUNDLE_FILE } from './bundle-file.js'
import type { Bundle } from './bundle-file.js'

/** Where the service serves the files. */
const ASSETS = '/console/assets'

const { outputFiles, metafile } = await build({
  absWorkingDir: fileURLToPath(PACKAGE_ROOT),
  entryPoints: { app: 'src/console/app.tsx', theme: 'src/console/theme.ts' },
  bundle: true,
  minify: true,
  splitting: true,
  format: 'esm',
  target: ['es2023', 'chrome123', 'firefox128', 'safari17.5'],
  jsx: 'automatic',
  jsxImportSource: 'preact',
  alias: {
    'csv-parse/sync': 'csv-parse/browser/esm/sync',
    'csv-stringify/sync': 'csv-stringify/browser/esm/sync',
  },
  outdir: 'dist/console-bundle/assets',
  publicPath: ASSETS,
  entryNames: '[name]-[hash]',
  chunkNames: 'part-[hash]',
  metafile: true,
  write: false,
})

const outputs = Object.entries(metafile.outputs)
const outputOf = (entry: string): string => {
  const [path] = outputs.find(([, { entryPoint }]) => entryPoint === entry) ?? []
  if (path === undefined) throw new Error(`nothing was made of ${entry}`)
  return path
}
const addressOf = (path: string): string => `${ASSETS}/${basename(path)}`

const app = outputOf('src/console/app.tsx')
const { cssBundle, imports } = metafile.outputs[app] ?? {}
/** Modules needed before the program runs, which the browser preloads together. */
const needed = (imports ?? []).flatMap(({ path, kind }) => (kind === 'import-statement' ? [path] : []))

const head = [
  ...(cssBundle === undefined ? [] : [`<link rel="stylesheet" href="${addressOf(cssBundle)}" />`]),
  // blocks the first paint, so that nobody sees the wrong theme first
  `<script src="${addressOf(outputOf('src/console/theme.ts'))}"></script>`,
  `<script type="module" src="${addressOf(app)}"></script>`,
  ...needed.map((path) => `<link rel="modulepreload" href="${addressOf(path)}" />`),
]

const built: Bundle = {
  document: `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="robots" content="noindex" />
    <meta name="color-scheme" content="light dark" />
    <title>Linkgate</title>
    <link rel="icon" href="/favicon.ico" sizes="32x32" />
    <link rel="icon" href="/favicon.svg" type="image/svg+xml" />
    ${head.join('\n    ')}
  </head>
  <body>
    <div id="app">
      <p class="late">The console could not be loaded. <a href="">Try again</a></p>
    </div>
    <noscript><p>The console needs JavaScript. The <a href="/docs">documentation</a> does not.</p></noscript>
  </body>
</html>
`,
  files: Object.fromEntries(outputFiles.map(({ path, text }) => [basename(path), text])),
}

const target = new URL(BUNDLE_FILE, PACKAGE_ROOT)
await mkdir(new URL('.', target), { recursive: true })
// written aside and renamed, so that a starting service never reads a partial file
const draft = new URL(`${BUNDLE_FILE}.${process.pid}`, PACKAGE_ROOT)
await writeFile(draft, JSON.stringify(built))
await rename(draft, target)
