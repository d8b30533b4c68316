import { mkdir, rename, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'

import { build, type Plugin } from 'esbuild'

import { PACKAGE_ROOT } from '../config.js'
import { BUNDLE_FILE, type Bundle } from './bundle-file.js'

/** Where the service serves the files. */
const ASSETS = '/console/assets'

const APP = 'src/console/app.tsx'

/**
 * Makes each module that the program loads later import the program, which has loaded by then. Otherwise esbuild makes
 * a file for each set of pages that share a module, even of one that the program needs at once, and the first page is
 * fifty files. The texts of a language are left out: the program waits for them before it is done.
 */
const afterTheProgram: Plugin = {
  name: 'after-the-program',
  setup: ({ onResolve, onLoad, resolve, initialOptions: { absWorkingDir = '' } }) => {
    onResolve({ filter: /^/ }, async ({ kind, path, importer, resolveDir, pluginData }) => {
      if (kind !== 'dynamic-import' || pluginData === afterTheProgram || importer.endsWith('/language.ts')) return null
      const found = await resolve(path, { kind, importer, resolveDir, pluginData: afterTheProgram })
      return found.errors.length > 0 ? found : { path: found.path, namespace: 'later' }
    })
    onLoad({ filter: /^/, namespace: 'later' }, ({ path }) => ({
      contents: `import ${JSON.stringify(join(absWorkingDir, APP))}; export * from ${JSON.stringify(path)}`,
      resolveDir: absWorkingDir,
    }))
  },
}

const { outputFiles, metafile } = await build({
  absWorkingDir: fileURLToPath(PACKAGE_ROOT),
  entryPoints: { app: APP, theme: 'src/console/theme.ts' },
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
  plugins: [afterTheProgram],
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

const app = outputOf(APP)
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
  // esbuild repeats the one style sheet for each page; only the program's is served
  files: Object.fromEntries(
    outputFiles
      .map(({ path, text }) => [basename(path), text] as const)
      .filter(([name]) => !name.endsWith('.css') || (cssBundle !== undefined && name === basename(cssBundle))),
  ),
}

const target = new URL(BUNDLE_FILE, PACKAGE_ROOT)
await mkdir(new URL('.', target), { recursive: true })
// written aside and renamed, so that a starting service never reads a partial file
const draft = new URL(`${BUNDLE_FILE}.${process.pid}`, PACKAGE_ROOT)
await writeFile(draft, JSON.stringify(built))
await rename(draft, target)
