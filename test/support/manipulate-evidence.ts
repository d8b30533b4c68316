import { createHash } from 'node:crypto'

import { CompactSign } from 'jose'

import { EVIDENCE } from '../../src/audit/evidence.js'
import { signStatement } from '../../src/audit/signed-statement.js'
import { endOf, fileOf, typeOf, type TestKey } from './evidence.js'
import { textAt } from './json.js'
import type { random } from './random.js'

export interface Manipulation {
  readonly name: string
  readonly make: (lines: readonly string[]) => Promise<Buffer>
}

interface Entry {
  readonly previous: string
  readonly text: string
}

const entryIn = (line: string): Entry & { readonly hash: string } => {
  const read: unknown = JSON.parse(line)
  return { previous: textAt(read, 'previous'), hash: textAt(read, 'hash'), text: textAt(read, 'text') }
}
const entryLine = ({ previous, text }: Entry, hash = hashOf({ previous, text })): string =>
  JSON.stringify({ type: 'entry', previous, hash, text })
const hashOf = ({ previous, text }: Entry): string =>
  createHash('sha256').update(previous, 'hex').update(text).digest('hex')
const isEntry = (line: string): boolean => typeOf(line) === 'entry'
const chainOf = (line: string): string => /^\[(\d+)/.exec(entryIn(line).text)?.[1] ?? ''
const forged = (text: string): string => text.replace('"deny"', '"allow"')

/** The file signed as it is now. */
const signAgain = async (lines: readonly string[], key: TestKey): Promise<Buffer> => {
  const body = lines.slice(0, -1)
  const end = {
    ...EVIDENCE.schema.parse(endOf(lines)),
    sha256: createHash('sha256').update(fileOf(body)).digest('hex'),
    entries: body.filter(isEntry).length,
  }
  return fileOf([...body, JSON.stringify({ type: 'end', jws: await signStatement(key, EVIDENCE, end) })])
}

/** Everything signed with another key, which the file then names as its own. */
const sealAgain = async (lines: readonly string[], { kid, privateKey, publicKey }: TestKey): Promise<Buffer> => {
  const seal = async (line: string) => {
    const [, payload = ''] = textAt(JSON.parse(line), 'jws').split('.')
    const jws = await new CompactSign(Buffer.from(payload, 'base64url'))
      .setProtectedHeader({ alg: 'ES256', typ: 'linkgate-checkpoint+jwt', kid })
      .sign(privateKey)
    return JSON.stringify({ type: typeOf(line), jws })
  }
  const header: object = JSON.parse(lines[0] ?? '')
  const { x, y } = publicKey.export({ format: 'jwk' })
  const body = await Promise.all(lines.slice(1, -1).map((line) => (isEntry(line) ? line : seal(line))))
  const named = JSON.stringify({ ...header, key: { kty: 'EC', crv: 'P-256', x, y } })
  return signAgain([named, ...body, lines.at(-1) ?? ''], { kid, privateKey, publicKey })
}

/** Rewrites a chain from an entry on, with every hash right again. */
const rewriteChain = (lines: readonly string[], from: number): readonly string[] => {
  const chain = chainOf(lines[from] ?? '')
  let { previous } = entryIn(lines[from] ?? '')
  return lines.map((line, i) => {
    if (i < from || !isEntry(line) || chainOf(line) !== chain) return line
    const { text } = entryIn(line)
    const entry = { previous, text: i === from ? forged(text) : text }
    previous = hashOf(entry)
    return entryLine(entry)
  })
}

/** What can be done to the lines of an evidence file. `key` signed it; `other` is somebody else's. */
export const manipulations = (
  { integer }: ReturnType<typeof random>,
  { key, other }: { readonly key: TestKey; readonly other: TestKey },
): readonly [Manipulation, ...Manipulation[]] => {
  const anywhere = (lines: readonly string[], less = 1) => integer(0, lines.length - less)
  /** An entry that a later checkpoint covers; where asked, one of a refusal, which a forger makes an allowance. */
  const anEntry = (lines: readonly string[]): number => {
    const last = lines.findLastIndex((line) => typeOf(line) === 'checkpoint')
    const entries = lines.flatMap((line, i) => (i < last && isEntry(line) && line.includes('deny') ? [i] : []))
    return entries[integer(0, entries.length - 1)] ?? 0
  }
  /** The chains show these even to somebody who has the key and signs the file again. */
  const within = (
    name: string,
    change: (lines: readonly string[], i: number, entry: Entry & { hash: string }) => readonly string[],
  ) => ({
    name,
    make: async (lines: readonly string[]) => {
      const i = anEntry(lines)
      const changed = change(lines, i, entryIn(lines[i] ?? ''))
      return integer(0, 1) === 1 ? signAgain(changed, key) : fileOf(changed)
    },
  })
  return [
    {
      name: 'a byte changed',
      make: async (lines) => {
        const file = fileOf(lines)
        const i = integer(0, file.length - 1)
        return Buffer.concat([
          file.subarray(0, i),
          Buffer.from([(file[i] ?? 0) ^ integer(1, 255)]),
          file.subarray(i + 1),
        ])
      },
    },
    {
      name: 'truncated',
      make: async (lines) => {
        const file = fileOf(lines)
        return file.subarray(0, integer(0, file.length - 1))
      },
    },
    { name: 'a line removed', make: async (lines) => fileOf(lines.toSpliced(anywhere(lines), 1)) },
    {
      name: 'two lines swapped',
      make: async (lines) => {
        const i = anywhere(lines, 2)
        return fileOf(lines.with(i, lines[i + 1] ?? '').with(i + 1, lines[i] ?? ''))
      },
    },
    { name: 'another signature', make: (lines) => signAgain(lines, { ...other, kid: key.kid }) },
    { name: 'another key', make: (lines) => sealAgain(lines, other) },
    within('an entry altered', (lines, i, { text, hash, ...entry }) =>
      lines.with(i, entryLine({ ...entry, text: forged(text) }, hash)),
    ),
    within('an entry altered and hashed again', (lines, i, { text, ...entry }) =>
      lines.with(i, entryLine({ ...entry, text: forged(text) })),
    ),
    within('a chain hashed again from an altered entry on', rewriteChain),
    within('an entry removed', (lines, i) => lines.toSpliced(i, 1)),
    within('a forged entry inserted', (lines, i, { hash, text }) =>
      lines.toSpliced(
        i + 1,
        0,
        entryLine({
          previous: hash,
          text: forged(text).replace(/^\[(\d+), (\d+)/, (_, chain, seq) => `[${chain}, ${Number(seq) + 1}`),
        }),
      ),
    ),
    within('an entry moved to another chain', (lines, i, { text, previous, hash }) => {
      const moved = { previous, text: text.replace(/^\[(\d+)/, (_, chain) => `[${(Number(chain) % 4) + 1}`) }
      return lines.with(i, integer(0, 1) === 1 ? entryLine(moved) : entryLine(moved, hash))
    }),
    within('an entry put in the place of another', (lines, i) => {
      const j = anEntry(lines)
      return j === i ? lines.toSpliced(i, 1) : lines.with(i, lines[j] ?? '').with(j, lines[i] ?? '')
    }),
  ]
}
