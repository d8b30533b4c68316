import { readFile } from 'node:fs/promises'

import { PACKAGE_ROOT } from '../../src/config.js'

const read = (path: string): Promise<string> => readFile(new URL(path, PACKAGE_ROOT), 'utf8')

interface Member {
  readonly name: string
  /** names of its arguments, with `?` where one may be left out; null: it is no method */
  readonly takes: readonly string[] | null
  readonly type: string
  readonly comment: string
}

/** What stands between the braces of an interface or a class, as prettier formats it. */
const bodyOf = (source: string, name: string): string => {
  const at = source.search(new RegExp(`^export (?:interface|class) ${name}\\b`, 'm'))
  if (at === -1) throw new Error(`there is no ${name}`)
  const from = source.indexOf('{\n', at) + 2
  return source.slice(from, source.indexOf('\n}', from))
}

const plain = (comment: string): string =>
  comment
    .replaceAll(/^\s*\*(?!\/) ?/gm, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim()

const DEPTH: Readonly<Record<string, number>> = { '(': 1, '{': 1, '<': 1, '[': 1, ')': -1, '}': -1, '>': -1, ']': -1 }

/** The parts of a list, at its own level. */
const split = (list: string): readonly string[] => {
  const parts: string[] = ['']
  let depth = 0
  for (const character of list.replaceAll('=>', '')) {
    depth += DEPTH[character] ?? 0
    if (character === ',' && depth === 0) parts.push('')
    else parts[parts.length - 1] += character
  }
  return parts.map((part) => part.trim()).filter((part) => part !== '')
}

const argumentIn = (text: string): string => /^\w+\??/.exec(text)?.[0] ?? text

/** Members with their comments; of overloads the first. */
const membersOf = (body: string): readonly Member[] => {
  const members = new Map<string, Member>()
  // a member begins at two spaces; what goes on is deeper, or closes it
  const pattern =
    /^ {2}\/\*\*([\s\S]*?)\*\/\n {2}(?:readonly )?(\w+)(\(|\??: )([^\n]*(?:\n(?: {4}| {2}[)}\]])[^\n]*)*)/gm
  for (const [, comment = '', name = '', sign, rest = ''] of body.matchAll(pattern)) {
    const text = rest.replaceAll(/\s+/g, ' ')
    const isMethod = sign === '('
    const isOptional = sign?.startsWith('?') === true
    const end = isMethod ? text.lastIndexOf('): ') : 0
    members.set(name, {
      name: isOptional ? `${name}?` : name,
      takes: isMethod ? split(text.slice(0, end)).map(argumentIn) : null,
      type: isMethod ? text.slice(end + 3) : isOptional ? text.replace(/ \| undefined$/, '') : text,
      comment: plain(comment),
    })
  }
  return [...members.values()]
}

const cell = (text: string): string => text.replaceAll('|', '\\|')

const table = (heads: readonly string[], rows: readonly (readonly string[])[]): string =>
  [`|${heads.map((head) => ` ${head} |`.replace('  ', ' ')).join('')}`, `|${'---|'.repeat(heads.length)}`]
    .concat(rows.map((row) => `| ${row.join(' | ')} |`))
    .join('\n')

const fieldTable = (members: readonly Member[]): string =>
  table(
    ['', 'type', ''],
    members.map(({ name, type, comment }) => [`\`${name}\``, `\`${cell(type)}\``, cell(comment)]),
  )

/** What the comments in `src/client/` say about the client, as the end of docs/client.md. */
export const clientReference = async (): Promise<string> => {
  const types = await read('src/client/types.ts')
  const client = await read('src/client/client.ts')
  const interfaceOf = (name: string) => membersOf(bodyOf(types, name))
  const requests = new Map(
    [...client.matchAll(/^ {2}(\w+): \{\s*method: '(\w+)',\s*path: '([^']+)'/gm)].map(
      ([, name = '', method, path = '']) => [name, `\`${method} ${path.replaceAll(/:(\w+)/g, '{$1}')}\``],
    ),
  )
  const calls = (members: readonly Member[]) =>
    members.map(({ name, takes, comment }) => [
      `\`${name}(${(takes ?? []).join(', ')})\``,
      ...(requests.has(name) ? [requests.get(name) ?? ''] : []),
      cell(comment),
    ])
  const operations = interfaceOf('Operations')
  if (operations.length !== requests.size) throw new Error('a method has no comment, or no row in the table')
  return [
    'Generated from the types and comments in `src/client/`; every type named here can be imported.',
    '### `createClient(options)`',
    fieldTable(interfaceOf('ClientOptions')),
    '### Options of a call',
    fieldTable(interfaceOf('CallOptions')),
    'Creations that take an Idempotency-Key have one more, and so have changes that take If-Match:',
    fieldTable([...interfaceOf('CreationOptions'), ...interfaceOf('ChangeOptions')]),
    'Edits of the policy and `changeManyLinks` take `query` as well.',
    '### Methods',
    table(['call', 'request', ''], calls(operations)),
    '### Beside the operations',
    table(['call', ''], calls(interfaceOf('Client'))),
    '### A list',
    table(['call', ''], calls(interfaceOf('Pages'))),
    fieldTable(interfaceOf('Page')),
    '### `LinkgateProblem`',
    plain(/\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\nexport class LinkgateProblem /.exec(client)?.[1] ?? ''),
    fieldTable(membersOf(bodyOf(client, 'LinkgateProblem'))),
  ].join('\n\n')
}

export const REFERENCE_HEADING = '\n## Reference\n\n'
