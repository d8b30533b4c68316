import { execFile } from 'node:child_process'
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'

import { expect } from 'chai'
import { transform } from 'esbuild'

import { PACKAGE_ROOT } from '../../src/config.js'
import { makeTemporaryFolder } from '../support/temporary-folder.js'

const run = promisify(execFile)

const MOST_BYTES = 6 * 1_024

/** A program of somebody else, for browsers. What must not compile is marked. */
const PROGRAM = `
import { LinkgateProblem, createClient, type ManagedLink, type Tokens } from './client/client.js'

const onTokens = (tokens: Tokens | null) => console.log(tokens)
const client = createClient({ baseUrl: 'https://go.example.com', onTokens })
const link: ManagedLink = await client.createLink({ target: 'https://example.com/', tags: ['a'], expires_at: null })
const id: string = link.id
const target: string | undefined = (await client.getLink('a')).target
for await (const { code } of client.listLinks({ limit: 50, state: 'active' })) console.log(code.length)
for await (const line of client.exportLinks()) console.log(line.length)
for await (const { owner_id } of client.exportLinks({ format: 'ndjson' })) console.log(owner_id)
for await (const { effect } of client.listDecisions({ effect: 'deny' })) console.log(effect)
await client.updateLink('a', { title: null }, { ifMatch: link, signal: AbortSignal.timeout(1_000) })
await client.changeManyLinks({ operation: 'transfer', items: [{ link: 'a', owner_id: '1' }] })
const problem: unknown = new Error()
if (problem instanceof LinkgateProblem && problem.code === 'code_taken') console.log(problem.errors[0]?.field)
console.log(id, target)

// @ts-expect-error a link needs a target
await client.createLink({ code: 'a' })
// @ts-expect-error there is no such field
await client.createLink({ target: 'https://example.com/', owner_id: '1' })
// @ts-expect-error there is no such filter
client.listLinks({ color: 'red' })
// @ts-expect-error a link that is shown to everybody may be without its target
const shown: string = (await client.getLink('a')).target
// @ts-expect-error items of another operation
await client.changeManyLinks({ operation: 'restore', items: [{ link: 'a' }] })
// @ts-expect-error an edit of the policy names the revision that it was made for
await client.changePolicy({ reason: 'none' })
// @ts-expect-error ids are texts: they have up to 64 bits
const number: number = link.id
// @ts-expect-error nobody asked for JSON lines
for await (const { code } of client.exportLinks()) console.log(code)
console.log(shown, number)
`

describe('the file of the client', () => {
  const read = (path: string) => readFile(new URL(path, PACKAGE_ROOT), 'utf8')

  it('imports nothing, and nothing that only Node has', async () => {
    const { code } = await transform(await read('src/client/client.ts'), { loader: 'ts' })
    expect(code).to.not.match(/\bimport\b|\brequire\b|\bprocess\b|\bBuffer\b|\bnode:/)
  })

  it('is at most 6 kB', async () => {
    const { code } = await transform(await read('src/client/client.ts'), { loader: 'ts', minify: true, format: 'esm' })
    expect(gzipSync(code).length).to.be.below(MOST_BYTES)
  })

  it('is typed for programs that know nothing of Node, of koa or of pg', async () => {
    const folder = await makeTemporaryFolder()
    const root = fileURLToPath(PACKAGE_ROOT)
    const tsc = join(root, 'node_modules/.bin/tsc')
    await mkdir(join(folder, 'node_modules'))
    await symlink(join(root, 'node_modules/zod'), join(folder, 'node_modules/zod'))
    await writeFile(join(folder, 'package.json'), '{"type": "module"}')
    await writeFile(join(folder, 'program.ts'), PROGRAM)
    const declarations = {
      extends: join(root, 'tsconfig.build.json'),
      compilerOptions: {
        declaration: true,
        emitDeclarationOnly: true,
        incremental: false,
        tsBuildInfoFile: null,
        rootDir: join(root, 'src'),
        outDir: folder,
        typeRoots: [join(root, 'node_modules/@types')],
      },
      files: [join(root, 'src/client/client.ts')],
      include: [],
    }
    await writeFile(join(folder, 'declarations.json'), JSON.stringify(declarations))
    await run(tsc, ['-p', 'declarations.json'], { cwd: folder })

    const compilerOptions = {
      target: 'ES2022',
      lib: ['ES2023', 'DOM', 'DOM.Iterable', 'DOM.AsyncIterable'],
      types: [],
      module: 'NodeNext',
      strict: true,
      exactOptionalPropertyTypes: true,
      // the declarations are checked as well: what they import has to be there
      skipLibCheck: false,
      noEmit: true,
    }
    await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['program.ts'] }))
    const { stdout } = await run(tsc, ['-p', folder], { cwd: folder }).catch((error: unknown) => Object(error))
    expect(stdout).to.equal('')
  })
})
