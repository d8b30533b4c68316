import { lstatSync } from 'node:fs'
import { stat } from 'node:fs/promises'

import { Option, type Command } from 'commander'

import type { Config } from '../config.js'
import type { Database } from '../database/database.js'
import { messageOf } from '../domain/thrown.js'
import { once } from '../domain/once.js'
import type { User } from '../domain/user.js'
import { interfaceAddresses } from '../http/listen.js'
import { createAccounts } from '../identity/accounts.js'
import { createPasswords } from '../identity/password.js'
import { FORMATS, FORMAT_NAMES, type FormatName } from '../import/formats.js'
import { importLinks, type ImportOrder, type ImportResult } from '../import/import-links.js'
import { createLinkStore } from '../import/link-store.js'
import { createRefusedFile } from '../import/refused-file.js'
import { linkReader } from '../import/to-link.js'
import { UnreadableFile } from '../import/source.js'
import { FIELDS, columnName } from '../import/words.js'
import { createAnnouncer } from '../redirects/announcer.js'
import { email, parsed } from './arguments.js'
import { counted, number } from '../domain/counted.js'
import { AnswerIsNo, UsageError } from './errors.js'
import { complain, print } from './print.js'
import { clearProgress, withProgress } from './progress.js'
import { unreadable } from './read-text-file.js'
import { withDatabase } from './session.js'

const HELP = `
Formats:
${FORMAT_NAMES.map((name) => `  ${name.padEnd(8)}${FORMATS[name].what}`).join('\n')}

Every link must pass the rules of POST /links. Created times are kept. Importing a file again creates nothing: a link
that exists with the same code, target and owner is unchanged; a code that belongs to another link is refused as taken.
So run an interrupted import again to finish it.

Owner of the links: --owner, or else the user whose id is in the column owner_id (our own export has one; ids are those
of this installation), or else nobody; then only admins can change them.

Our fields, for --map and for the columns of --format csv:
  ${FIELDS.slice(0, 9).join(', ')},
  ${FIELDS.slice(9).join(', ')}
A column that --map names is read for that field alone; "column=" leaves it out.

Examples:
  linkgate import links.csv --format csv --dry-run
  linkgate import bitly.csv --format bitly --owner ada@example.com
  linkgate import table.csv --format csv --map "Web address=target, Short name=code" --owner ada@example.com
  linkgate import links.csv --format csv --map "title=note, tags="

Exit code 0: all were imported. 1: some were refused; fix them in the file of refused ones, and import that. Or the end
of the file was not reached; it says why. 2: nothing was read (no such file, a missing column, no such user, no
installation, no place for the refused).`

/** Columns by `columnName`; null: the column is left out. */
type Mapping = ImportOrder['map']

const pairOf = parsed(
  (text) => {
    const [, column = '', name = ''] = /^(.*)=(.*)$/s.exec(text) ?? []
    const field = name.trim() === '' ? null : FIELDS.find((each) => each === name.trim())
    return columnName(column) === '' || field === undefined ? undefined : { column: columnName(column), field }
  },
  `must be "their column=our field, …"; our fields are ${FIELDS.join(', ')}`,
)

/** `their column=our field, …`; without a field, the column is left out. Repeated options add up. */
const mapping = (text: string, previous: Mapping = new Map()): Mapping => {
  const map = new Map(previous)
  for (const { column, field } of text.split(',').map(pairOf)) {
    if (map.has(column)) throw new UsageError(`--map names the column ${column} twice`)
    const [rival] = [...map].find(([, other]) => field !== null && other === field) ?? []
    if (rival !== undefined) throw new UsageError(`--map: ${rival} and ${column} cannot both be the ${field}`)
    map.set(column, field)
  }
  return map
}

interface ImportOptions {
  readonly format: FormatName
  readonly owner?: string
  readonly map?: Mapping
  readonly dryRun?: true
  readonly refused?: string
}

/** Imports links of other programs, and of our own exports. No policy row restricts it; the log records who did it. */
export const register = (program: Command): void => {
  program
    .command('import')
    .description('import links from a file of another service, or from our own export')
    .argument('<file>', 'CSV with commas, semicolons or tabs, or JSON; in UTF-8')
    .addOption(
      new Option('--format <format>', 'the program that wrote the file, see below')
        .choices(FORMAT_NAMES)
        .makeOptionMandatory(),
    )
    .option('--owner <e-mail>', 'the user who will own all links', email)
    .option('--map <columns>', 'maps columns to fields: "their column=our field, …"; "column=" leaves it out', mapping)
    .option('--dry-run', 'report the outcome for each link, without writing to the database')
    .option(
      '--refused <file>',
      'file for refused records and the reasons (default: FILE.refused.csv or .ndjson, numbered if it exists)',
    )
    .addHelpText('after', HELP)
    .action((file: string, options: ImportOptions) =>
      withDatabase((database, config) => run(database, config, file, options)).catch((error: unknown) => {
        throw error instanceof UnreadableFile ? new UsageError(`${file}: ${error.message}`) : error
      }),
    )
}

/** How many refused records are printed; the rest is counted. */
const MOST_LINES = 20

const run = async (database: Database, config: Config, file: string, options: ImportOptions): Promise<void> => {
  const { format, map = new Map<string, null>(), dryRun = false } = options
  const owner = options.owner === undefined ? undefined : await requireOwner(database, options.owner)
  const size = await sizeOf(file)
  let refusedPath: string | undefined
  let refused = 0
  const announcer = createAnnouncer(database)
  const result = await withProgress(`reading ${file}`, (show) =>
    importLinks({
      file,
      format,
      map,
      owner: owner?.id,
      toLink: linkReader(placeOf(config)),
      store: createLinkStore({ database, dryRun, hashPassword: async (text) => (await passwords()).hash(text) }),
      refusedFile: async (source) => {
        refusedPath = await refusedPathOf(file, options, source.columns !== null)
        if (refusedPath === undefined) return undefined
        const how = options.refused === undefined ? 'create' : 'overwrite'
        return createRefusedFile(refusedPath, source, new Set(map.keys()), how).catch((error: unknown) => {
          throw new UsageError(`refused records cannot be written: ${messageOf(error)} (--refused names another)`, {
            cause: error,
          })
        })
      },
      onProgress: (bytes, records) => {
        if (!dryRun) announcer.soon()
        show(`${number(records)} records, ${number(refused)} refused`, Math.min(bytes / size, 1))
      },
      onRefused: (place, reason) => {
        refused += 1
        if (refused > MOST_LINES) return
        clearProgress()
        complain(`${file}:${place}  ${reason}`)
      },
      onIgnored: (columns) => {
        if (columns.length > 0) complain(`ignored columns: ${columns.join(', ')} (--map names them)`)
      },
    }),
  ).finally(() => announcer.stop())
  if (refused > MOST_LINES) complain(`… and ${counted(refused - MOST_LINES, 'more refused record')}`)
  report(result, { file, dryRun, refusedPath })
}

const report = (
  { made, unchanged, refused, ownerless, ended, unkept }: ImportResult,
  { file, dryRun, refusedPath }: { file: string; dryRun: boolean; refusedPath: string | undefined },
): void => {
  const kept = refused > 0 && refusedPath !== undefined ? ` (${refusedPath})` : ''
  print(
    `${dryRun ? 'dry run: ' : ''}${number(made)} ${dryRun ? 'would be made' : 'made'}, ` +
      `${number(unchanged)} unchanged, ${number(refused)} refused${kept}`,
  )
  if (ownerless > 0) {
    const have = dryRun ? 'would have' : ownerless === 1 ? 'has' : 'have'
    print(`${number(ownerless)} of them ${have} no owner: only admins can change them (--owner)`)
  }
  if (ended instanceof UnreadableFile) complain(`${file}: ${ended.message}`)
  if (unkept !== undefined) complain(`${refusedPath} lacks some of them, ${messageOf(unkept)}; import ${file} again`)
  if (ended !== undefined && !(ended instanceof UnreadableFile)) {
    complain(`the import did not reach the end of ${file}: import it again`)
    throw ended
  }
  if (refused > 0 || ended !== undefined) throw new AnswerIsNo()
}

const requireOwner = async (database: Database, address: string): Promise<User> => {
  const user = await createAccounts(database).find(address)
  if (user === null) throw new UsageError(`there is no user ${address}: add one with linkgate user add`)
  return user
}

const sizeOf = async (file: string): Promise<number> => {
  const found = await stat(file).catch((error: unknown) => {
    throw unreadable(file, error)
  })
  if (!found.isFile()) throw new UsageError(`${file} is ${found.isDirectory() ? 'a folder' : 'no plain file'}`)
  return Math.max(found.size, 1)
}

/** A dry run creates a file only if --refused is given. */
const refusedPathOf = async (
  file: string,
  { refused, dryRun }: ImportOptions,
  isCsv: boolean,
): Promise<string | undefined> => {
  if (refused === undefined) return dryRun ? undefined : freeName(`${file}.refused`, isCsv ? 'csv' : 'ndjson')
  if (await isSameFile(refused, file)) throw new UsageError('--refused must name another file than the imported one')
  return refused
}

/** A file may have several names: hard and symbolic links. */
const isSameFile = async (path: string, existing: string): Promise<boolean> => {
  const { dev, ino } = await stat(existing, { bigint: true })
  const other = await stat(path, { bigint: true }).catch(() => undefined)
  return other?.dev === dev && other.ino === ino
}

/** Numbered if a file of that name exists: somebody may be mending what an earlier import refused. */
const freeName = (name: string, extension: string, number = 1): string => {
  const path = `${name}${number === 1 ? '' : `-${number}`}.${extension}`
  return lstatSync(path, { throwIfNoEntry: false }) ? freeName(name, extension, number + 1) : path
}

const placeOf = ({ baseUrl, host, hostname, port }: Config) => ({
  // PORT=0 without BASE_URL: whichever port the service gets, it is on this machine
  baseUrl: baseUrl ?? `http://${hostname}:${port}`,
  host,
  port,
  addresses: interfaceAddresses(),
})

/** Created with the first password: most files have none. */
const passwords = once(createPasswords)
