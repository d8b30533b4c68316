import { generateKeyPairSync } from 'node:crypto'
import { execFile } from 'node:child_process'
import { chmod, mkdir, readFile, readdir, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

import { expect } from 'chai'
import { calculateJwkThumbprint, exportJWK } from 'jose'

import { StartError } from '../../src/domain/start-error.js'
import { loadOrMakeSigningKey } from '../../src/identity/signing-key.js'
import { makeTemporaryFolder } from '../support/temporary-folder.js'

const pem = (key: { export(options: { type: 'pkcs8'; format: 'pem' }): string | Buffer }) =>
  key.export({ type: 'pkcs8', format: 'pem' }).toString()
const ec = (namedCurve: string) => generateKeyPairSync('ec', { namedCurve })

describe('the signing key', () => {
  let folder: string
  let file: string
  beforeEach(async () => {
    folder = await makeTemporaryFolder()
    file = join(folder, 'key.pem')
  })

  const startErrorOf = async (): Promise<string> => {
    const error: unknown = await loadOrMakeSigningKey(file).catch((reason: unknown) => reason)
    if (!(error instanceof StartError)) throw new Error(`no StartError: ${String(error)}`)
    expect(error.message).to.include(file)
    expect(error.message).to.not.include('\n')
    return error.message
  }

  it('is made once, with mode 0600, in a folder that need not exist', async () => {
    file = join(folder, 'a/b/key.pem')
    const first = await loadOrMakeSigningKey(file)
    expect((await stat(file)).mode & 0o777).to.equal(0o600)
    expect((await loadOrMakeSigningKey(file)).kid).to.equal(first.kid)
    expect(await readdir(join(folder, 'a/b'))).to.deep.equal(['key.pem'])
  })

  it('is one key for 20 concurrent starts', async () => {
    const keys = await Promise.all(Array.from({ length: 20 }, () => loadOrMakeSigningKey(file)))
    expect(new Set(keys.map(({ kid }) => kid)).size).to.equal(1)
    expect(await readdir(folder)).to.deep.equal(['key.pem'])
  })

  it('is one key for several processes', async () => {
    const script = `
      import { loadOrMakeSigningKey } from './src/identity/signing-key.ts'
      console.log((await loadOrMakeSigningKey(process.argv[1])).kid)`
    const kids = await Promise.all(
      Array.from({ length: 3 }, async () =>
        (
          await promisify(execFile)(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', script, file])
        ).stdout.trim(),
      ),
    )
    expect(new Set([...kids, (await loadOrMakeSigningKey(file)).kid]).size).to.equal(1)
  })

  it('is named by its RFC 7638 thumbprint and shows only its public half', async () => {
    const { jwk, kid, publicKey } = await loadOrMakeSigningKey(file)
    expect(kid).to.equal(await calculateJwkThumbprint(await exportJWK(publicKey)))
    expect(Object.keys(jwk).sort()).to.deep.equal(['alg', 'crv', 'kid', 'kty', 'use', 'x', 'y'])
    expect(jwk).to.include({ kty: 'EC', crv: 'P-256', alg: 'ES256', use: 'sig', kid })
    expect(publicKey.type).to.equal('public')
  })

  it('is also read in the form that OpenSSL writes (SEC 1)', async () => {
    await writeFile(file, ec('P-256').privateKey.export({ type: 'sec1', format: 'pem' }), { mode: 0o600 })
    expect((await loadOrMakeSigningKey(file)).jwk.crv).to.equal('P-256')
  })

  const p256 = ec('P-256')
  for (const [name, text] of [
    ['an empty file', ''],
    ['no PEM', 'hello'],
    ['an RSA key', pem(generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey)],
    ['an Ed25519 key', pem(generateKeyPairSync('ed25519').privateKey)],
    ['a key on P-384', pem(ec('P-384').privateKey)],
    ['a key on secp256k1', pem(ec('secp256k1').privateKey)],
    ['a key on a weak curve', pem(ec('secp224r1').privateKey)],
    ['a public key', p256.publicKey.export({ type: 'spki', format: 'pem' }).toString()],
    ['two keys', pem(p256.privateKey) + pem(ec('P-256').privateKey)],
    [
      'a key and an RSA key',
      pem(p256.privateKey) + pem(generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey),
    ],
    [
      'a key and its public half',
      pem(p256.privateKey) + p256.publicKey.export({ type: 'spki', format: 'pem' }).toString(),
    ],
    [
      'an encrypted key',
      p256.privateKey.export({ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'x' }).toString(),
    ],
    ['a key that is cut', `${pem(p256.privateKey).slice(0, 120)}\n-----END PRIVATE KEY-----\n`],
    ['a secret', 'c2VjcmV0'.repeat(100)],
    ['20 KiB', `${pem(p256.privateKey)}${' '.repeat(20_000)}`],
  ] as const) {
    it(`is refused at start as ${name}, in one line that shows nothing of it`, async () => {
      await writeFile(file, text, { mode: 0o600 })
      const message = await startErrorOf()
      if (text.length > 200) expect(message).to.not.include(text.slice(40, 60))
      expect(await readFile(file, 'utf8'), 'the file is left as it was').to.equal(text)
    })
  }

  for (const mode of [0o640, 0o604, 0o644, 0o620, 0o666]) {
    it(`is refused at start with mode ${mode.toString(8)}`, async () => {
      await loadOrMakeSigningKey(file)
      await chmod(file, mode)
      expect(await startErrorOf()).to.include('chmod 600')
    })
  }

  it('is refused at start as a folder, a device, a dangling link, or under a file', async () => {
    await mkdir(file)
    await startErrorOf()
    file = join(folder, 'device.pem')
    await symlink('/dev/zero', file)
    await startErrorOf()
    file = join(folder, 'dangling.pem')
    await symlink(join(folder, 'nowhere'), file)
    await startErrorOf()
    await writeFile(join(folder, 'plain'), '')
    file = join(folder, 'plain', 'key.pem')
    await startErrorOf()
  })
})
