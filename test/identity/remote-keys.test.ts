import { generateKeyPairSync, type KeyObject } from 'node:crypto'

import { expect } from 'chai'

import { Refusal } from '../../src/domain/refusal.js'
import { remoteKeys } from '../../src/identity/remote-keys.js'
import { onChange } from '../../src/log/on-change.js'

const issuer = 'https://issuer.example.com'
const MINUTE = 60_000
const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const p384 = generateKeyPairSync('ec', { namedCurve: 'P-384' })
const rsa = generateKeyPairSync('rsa', { modulusLength: 2_048 })
const weak = generateKeyPairSync('rsa', { modulusLength: 1_024 })
const ed = generateKeyPairSync('ed25519')
const jwk = (key: KeyObject, changes: Readonly<Record<string, unknown>> = {}) => ({
  ...key.export({ format: 'jwk' }),
  kid: 'k',
  use: 'sig',
  ...changes,
})

/** Keys over documents that the test makes, and a clock that it moves. */
const bench = (documents: { keys: unknown; discovery?: unknown }, jwksUri?: string) => {
  let time = 0
  const asked: string[] = []
  const told: (string | null)[] = []
  let away = false
  let held: Promise<void> | undefined
  const keys = remoteKeys({
    issuer,
    jwksUri,
    onFetch: onChange((fault) => told.push(fault === null ? null : String(fault))),
    now: () => time,
    pause: async (milliseconds) => {
      time += milliseconds
    },
    read: async (url) => {
      asked.push(url)
      const { keys: answered } = documents
      await held
      if (away) throw new Error('away')
      return url.endsWith('/openid-configuration')
        ? (documents.discovery ?? { issuer, jwks_uri: `${issuer}/keys` })
        : { keys: answered }
    },
  })
  const outcome = (kid: string, alg: string) =>
    keys.find(kid, alg).then(
      () => 'found',
      (error: unknown) => (error instanceof Refusal ? error.code : 'refused'),
    )
  return {
    outcome,
    asked,
    told,
    time: () => time,
    /** keeps the next documents back until it is called */
    hold: () => {
      let release = () => {}
      held = new Promise((resolve) => {
        release = resolve
      })
      return () => {
        held = undefined
        release()
      }
    },
    pass: (milliseconds: number) => {
      time += milliseconds
    },
    setAway: (is: boolean) => {
      away = is
    },
  }
}

describe('the keys of a remote issuer', () => {
  for (const [what, key, alg, outcome] of [
    ['an EC key on P-256 for ES256', jwk(ec.publicKey, { alg: 'ES256' }), 'ES256', 'found'],
    ['an EC key that names no algorithm', jwk(ec.publicKey), 'ES256', 'found'],
    ['an RSA key that names no algorithm, for RS256', jwk(rsa.publicKey), 'RS256', 'found'],
    ['an RSA key that names no algorithm, for PS256', jwk(rsa.publicKey), 'PS256', 'refused'],
    ['an RSA key for PS256, which says so', jwk(rsa.publicKey, { alg: 'PS256' }), 'PS256', 'found'],
    ['an RSA key for PS256, for RS256', jwk(rsa.publicKey, { alg: 'PS256' }), 'RS256', 'refused'],
    ['an RSA key of 1,024 bits', jwk(weak.publicKey, { alg: 'RS256' }), 'RS256', 'refused'],
    ['an EC key that says it is for RS256', jwk(ec.publicKey, { alg: 'RS256' }), 'RS256', 'refused'],
    ['an EC key on P-384 for ES256', jwk(p384.publicKey, { alg: 'ES256' }), 'ES256', 'refused'],
    ['an EC key on P-384 for ES384', jwk(p384.publicKey), 'ES384', 'found'],
    ['an Ed25519 key', jwk(ed.publicKey, { alg: 'EdDSA' }), 'EdDSA', 'refused'],
    ['a key for encryption', jwk(rsa.publicKey, { use: 'enc', alg: 'RS256' }), 'RS256', 'refused'],
    ['a private key', jwk(ec.privateKey, { alg: 'ES256' }), 'ES256', 'refused'],
    ['a symmetric key', { kty: 'oct', k: 'c2VjcmV0', kid: 'k', alg: 'HS256' }, 'HS256', 'refused'],
    ['a key without a name', jwk(ec.publicKey, { kid: undefined }), 'ES256', 'refused'],
  ] as const) {
    it(`${outcome === 'found' ? 'hold' : 'do not hold'} ${what}`, async () => {
      // another one beside it, so that the set is never empty
      const { outcome: of } = bench({ keys: [jwk(ec.publicKey, { kid: 'other' }), key] })
      expect(await of('k', alg)).to.equal(outcome)
      expect(await of('other', 'ES256')).to.equal('found')
    })
  }

  it('are refused where two keys have one name and one algorithm', async () => {
    const { outcome } = bench({
      keys: [jwk(ec.publicKey), jwk(generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey)],
    })
    expect(await outcome('k', 'ES256')).to.equal('refused')
  })

  it('are fetched again after ten minutes, when withdrawn ones are refused', async () => {
    const documents = { keys: [jwk(ec.publicKey, { kid: 'one' }), jwk(rsa.publicKey, { kid: 'two' })] }
    const { outcome, asked, pass } = bench(documents, `${issuer}/keys`)
    expect(await outcome('one', 'ES256')).to.equal('found')
    documents.keys = documents.keys.slice(1)
    pass(10 * MINUTE)
    expect(await outcome('one', 'ES256')).to.equal('found')
    expect(asked).to.have.length(1)
    pass(1)
    expect(await outcome('one', 'ES256')).to.equal('refused')
    expect(await outcome('two', 'RS256')).to.equal('found')
  })

  it('stay valid for 24 hours while the issuer is away, and are a 503 after that until it is back', async () => {
    const { outcome, pass, setAway, told } = bench({ keys: [jwk(ec.publicKey)] })
    expect(await outcome('k', 'ES256')).to.equal('found')
    setAway(true)
    for (let hour = 1; hour <= 24; hour++) {
      pass(60 * MINUTE)
      expect(await outcome('k', 'ES256'), `${hour} h`).to.equal('found')
      expect(await outcome('new', 'ES256'), `${hour} h`).to.equal('issuer_unavailable')
    }
    pass(1)
    expect(await outcome('k', 'ES256')).to.equal('issuer_unavailable')
    expect(told, 'the outage is told once').to.deep.equal([null, 'Error: away'])
    setAway(false)
    pass(MINUTE)
    expect(await outcome('k', 'ES256')).to.equal('found')
    expect(told).to.deep.equal([null, 'Error: away', null])
  })

  it('are fetched a few times a minute, however many names are made up; known ones wait for none', async () => {
    const { outcome, asked, time } = bench({ keys: [jwk(ec.publicKey)] }, `${issuer}/keys`)
    for (let round = 0; round < 100; round++) {
      const invented = Array.from({ length: 20 }, (_, i) => outcome(`invented-${round}-${i}`, 'ES256'))
      expect(await outcome('k', 'ES256')).to.equal('found')
      expect(new Set(await Promise.all(invented))).to.deep.equal(new Set(['refused']))
    }
    expect(asked.length).to.be.at.most(3 + time() / 3_000)
  })

  it('are found at once after a rotation, whoever asked for invented ones just before', async () => {
    const documents = { keys: [jwk(ec.publicKey)] }
    const { outcome, time } = bench(documents, `${issuer}/keys`)
    for (let i = 0; i < 20; i++) expect(await outcome(`invented-${i}`, 'ES256')).to.equal('refused')
    documents.keys = [jwk(ec.publicKey, { kid: 'rotated' })]
    const before = time()
    expect(await outcome('rotated', 'ES256')).to.equal('found')
    expect(time() - before).to.be.at.most(3_000)
  })

  it('are asked for once more for a name that came while a fetch was under way', async () => {
    const documents = { keys: [jwk(ec.publicKey)] }
    const { outcome, hold } = bench(documents, `${issuer}/keys`)
    const release = hold()
    const first = outcome('invented', 'ES256')
    const second = outcome('rotated', 'ES256')
    documents.keys = [jwk(ec.publicKey, { kid: 'rotated' })]
    release()
    expect([await first, await second]).to.deep.equal(['refused', 'found'])
  })

  it('are a 503 for a name that is unknown while the issuer is away, whatever was asked before', async () => {
    const { outcome, setAway, asked, pass } = bench({ keys: [jwk(ec.publicKey)] }, `${issuer}/keys`)
    for (let i = 0; i < 20; i++) expect(await outcome(`invented-${i}`, 'ES256')).to.equal('refused')
    setAway(true)
    for (let i = 0; i < 20; i++) expect(await outcome(`new-${i}`, 'ES256'), `${i}`).to.equal('issuer_unavailable')
    expect(await outcome('k', 'ES256')).to.equal('found')
    const before = asked.length
    for (let i = 0; i < 20; i++) expect(await outcome(`new-${i}`, 'ES256'), `${i}`).to.equal('issuer_unavailable')
    expect(asked.length, 'one that is away is left alone for a while').to.equal(before)
    setAway(false)
    pass(5_000)
    expect(await outcome('new', 'ES256')).to.equal('refused')
  })

  it('are found at their new address after they moved', async () => {
    const documents = { keys: [jwk(ec.publicKey)], discovery: { issuer, jwks_uri: `${issuer}/old` } }
    const { outcome, asked, setAway, pass } = bench(documents)
    await outcome('k', 'ES256')
    setAway(true)
    pass(11 * MINUTE)
    await outcome('k', 'ES256')
    setAway(false)
    documents.discovery.jwks_uri = `${issuer}/new`
    pass(MINUTE)
    await outcome('another', 'ES256')
    expect(asked.at(-1)).to.equal(`${issuer}/new`)
  })

  for (const [what, discovery] of [
    ['names another issuer', { issuer: 'https://other.example.com', jwks_uri: `${issuer}/keys` }],
    ['names the issuer with a slash more', { issuer: `${issuer}/`, jwks_uri: `${issuer}/keys` }],
    ['names no keys', { issuer }],
    ['names keys over plain http', { issuer, jwks_uri: 'http://issuer.example.com/keys' }],
    ['names keys in a file', { issuer, jwks_uri: 'file:///etc/passwd' }],
    ['is a list', [issuer]],
    ['is null', null],
  ] as const) {
    it(`are refused where the discovery document ${what}`, async () => {
      const { outcome, asked } = bench({ keys: [jwk(ec.publicKey)], discovery: discovery === null ? 0 : discovery })
      expect(await outcome('k', 'ES256')).to.equal('issuer_unavailable')
      expect(asked).to.deep.equal([`${issuer}/.well-known/openid-configuration`])
    })
  }

  for (const keys of [[], {}, null, 'keys', [null, 1, 'x'], [{}]]) {
    it(`are refused where the set is ${JSON.stringify(keys)}`, async () => {
      expect(await bench({ keys }).outcome('k', 'ES256')).to.equal('issuer_unavailable')
    })
  }
})
