import { createHash, createPublicKey, verify, type KeyObject } from 'node:crypto'

import { at, listAt, textAt } from './json.js'

/*
 * A second verifier of evidence files, written from docs/audit.md alone: nothing of src/ is used here, so that it
 * cannot share a mistake with the first. It reads the whole file at once.
 */

interface Place {
  readonly seq: bigint
  readonly hash: string
}

/** RFC 7638: SHA-256 of the members that a key needs, in this order. */
const thumbprintOf = (key: KeyObject): string => {
  const { crv, kty, x, y } = key.export({ format: 'jwk' })
  return createHash('sha256').update(JSON.stringify({ crv, kty, x, y })).digest('base64url')
}

/** What a JWS says, if it is of this type and signed with one of the keys. */
const signedText = (jws: string, type: string, keys: readonly KeyObject[]): unknown => {
  const [head = '', payload = '', signature = '', ...more] = jws.split('.')
  const header: unknown = JSON.parse(Buffer.from(head, 'base64url').toString())
  const key = keys.find((each) => thumbprintOf(each) === at(header, 'kid'))
  const bytes = Buffer.from(signature, 'base64url')
  if (key === undefined || more.length > 0) throw new Error('another key')
  if (at(header, 'alg') !== 'ES256' || at(header, 'typ') !== type) throw new Error(`not ${type}`)
  if (bytes.toString('base64url') !== signature) throw new Error('the signature is not in its one form')
  if (!verify('sha256', Buffer.from(`${head}.${payload}`), { key, dsaEncoding: 'ieee-p1363' }, bytes))
    throw new Error('the signature is not valid')
  return JSON.parse(Buffer.from(payload, 'base64url').toString())
}

const CHECKPOINT = 'linkgate-checkpoint+jwt'

const placeAt = (value: unknown, ...path: readonly string[]): Place => ({
  seq: BigInt(textAt(value, ...path, 'seq')),
  hash: textAt(value, ...path, 'hash'),
})

/** Throws at the first thing that is wrong with a file. `pinned`: the keys to trust; none: the file's own. */
export const checkEvidence = (file: Buffer, pinned: readonly KeyObject[]): void => {
  const must = (holds: boolean, what: string) => {
    if (!holds) throw new Error(what)
  }
  const lines = file.toString('utf8').split('\n')
  must(lines.pop() === '', 'the file ends with a line')
  const last = lines.pop() ?? ''
  const [header, ...body] = lines.map((line): unknown => JSON.parse(line))
  must(at(header, 'type') === 'evidence' && at(header, 'version') === 1, 'a header')
  const { kty, crv, x, y } = Object(at(header, 'key'))
  const keys = pinned.length > 0 ? pinned : [createPublicKey({ key: { kty, crv, x, y }, format: 'jwk' })]

  const jws = /^\{"type":"end","jws":"([\w.-]+)"\}$/.exec(last)?.[1] ?? ''
  const end = signedText(jws, 'linkgate-evidence+jwt', keys)
  const before = file.subarray(0, file.length - Buffer.byteLength(last) - 1)
  must(at(end, 'sha256') === createHash('sha256').update(before).digest('hex'), 'the bytes that were signed')
  must(at(end, 'faults') === 0, 'a log that was intact')

  const ofType = (type: string) => body.filter((line) => at(line, 'type') === type)
  const sealed = (line: unknown) => signedText(textAt(line, 'jws'), CHECKPOINT, keys)
  const ranges = ofType('retired').flatMap((line) => listAt(sealed(line), 'retired'))
  const rangesOf = (writer: string) =>
    ranges
      .filter((range) => textAt(range, 'writer') === writer)
      .map((range) => ({
        first: BigInt(textAt(range, 'first')),
        last: BigInt(textAt(range, 'last')),
        previous: textAt(range, 'previous'),
        hash: textAt(range, 'hash'),
      }))
  const chains = new Map<string, Place>()
  const firsts = new Map<string, Place>()
  const standing = (writer: string): Place => {
    const here = chains.get(writer) ?? { seq: 0n, hash: '0'.repeat(64) }
    const gone = rangesOf(writer).find(({ first, previous }) => first === here.seq + 1n && previous === here.hash)
    if (gone === undefined) return here
    chains.set(writer, { seq: gone.last, hash: gone.hash })
    return standing(writer)
  }
  const mustStand = (heads: readonly (readonly [string, Place])[]) => {
    for (const [writer, { seq, hash }] of heads) {
      const here = standing(writer)
      const isGone = seq < here.seq && rangesOf(writer).some(({ first, last }) => first <= seq && seq <= last)
      must(isGone || (here.seq === seq && here.hash === hash), `chain ${writer} stands at ${seq}`)
    }
    for (const writer of chains.keys()) must(new Map(heads).has(writer), `chain ${writer} is known`)
  }
  const headsOf = (checkpoint: unknown) =>
    listAt(checkpoint, 'heads').map((head) => [textAt(head, 'writer'), placeAt(head)] as const)

  const order = { retired: 1, start: 2, entry: 3, checkpoint: 3 } as const
  let rank = 1
  for (const line of body) {
    const type = Object.entries(order).find(([name]) => name === at(line, 'type'))
    must(type !== undefined && type[1] >= rank, 'a line in its place')
    rank = type?.[0] === 'start' ? 3 : (type?.[1] ?? rank)
    if (type?.[0] === 'start') {
      const checkpoint = sealed(line)
      must(Date.parse(textAt(checkpoint, 'time')) <= Date.parse(textAt(header, 'from')), 'a start before the period')
      for (const [writer, place] of headsOf(checkpoint)) {
        const gone = rangesOf(writer).find(({ first, last }) => first <= place.seq && place.seq <= last)
        chains.set(writer, gone === undefined ? place : { seq: gone.last, hash: gone.hash })
      }
    } else if (type?.[0] === 'checkpoint') mustStand(headsOf(sealed(line)))
    else if (type?.[0] === 'entry') {
      const [previous, hash, text] = [textAt(line, 'previous'), textAt(line, 'hash'), textAt(line, 'text')]
      const [, writer = '', seq = ''] = /^\[(\d+), (\d+), \d+, -?[\d.]+, /.exec(text) ?? []
      const here = standing(writer)
      must(BigInt(seq) === here.seq + 1n && previous === here.hash, `entry ${seq} of chain ${writer} follows`)
      must(createHash('sha256').update(previous, 'hex').update(text).digest('hex') === hash, 'the hash of its text')
      chains.set(writer, { seq: BigInt(seq), hash })
      if (!firsts.has(writer)) firsts.set(writer, { seq: BigInt(seq), hash })
    }
  }
  must(at(end, 'entries') === ofType('entry').length, 'as many entries as were signed')
  const ends = listAt(end, 'chains')
  mustStand(ends.map((chain) => [textAt(chain, 'writer'), placeAt(chain, 'last')] as const))
  for (const chain of ends) {
    const first = firsts.get(textAt(chain, 'writer'))
    const signed = at(chain, 'first') === null ? undefined : placeAt(chain, 'first')
    must(first?.seq === signed?.seq && first?.hash === signed?.hash, 'the first entry that was signed')
  }
}
