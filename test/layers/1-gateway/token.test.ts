import { generateKeyPairSync } from 'node:crypto'
import { connect } from 'node:net'
import { join } from 'node:path'

import { expect } from 'chai'
import { decodeJwt } from 'jose'

import { Refusal } from '../../../src/domain/refusal.js'
import { createIssuer, type KeySource } from '../../../src/identity/issuer.js'
import { loadOrMakeSigningKey, type SigningKey } from '../../../src/identity/signing-key.js'
import { bearerOf, createTokenVerifier, invalidToken, type TokenVerifier } from '../../../src/layers/1-gateway/token.js'
import { koaContext } from '../../support/koa-context.js'
import { keepLog, type KeptLog } from '../../support/log.js'
import { encodePart, signHmac, signRaw } from '../../support/raw-token.js'
import { addUserWithId } from '../../support/records.js'
import { startTestService, type TestService } from '../../support/service.js'
import { madeSigningKey } from '../../support/signing-key.js'
import { makeTemporaryFolder } from '../../support/temporary-folder.js'
import { until } from '../../support/until.js'

/** named as the own issuer of an installation with this key, so that a whole service can be asked too */
let issuer = ''
const audience = 'linkgate'
const p384 = generateKeyPairSync('ec', { namedCurve: 'P-384' })
const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 })
const stranger = generateKeyPairSync('ec', { namedCurve: 'P-256' })

let folder: string
let key: SigningKey
let verifier: TokenVerifier
/** every (kid, alg) that the key source was asked for */
let asked: string[] = []

const seconds = () => Math.floor(Date.now() / 1_000)
const header = (changes: Readonly<Record<string, unknown>> = {}) => ({
  alg: 'ES256',
  typ: 'at+jwt',
  kid: key.kid,
  ...changes,
})
const claims = (changes: Readonly<Record<string, unknown>> = {}) => {
  const now = seconds()
  return {
    iss: issuer,
    aud: audience,
    sub: '7',
    iat: now,
    exp: now + 900,
    jti: 'a1',
    scope: 'link:read',
    client_id: 'linkgate',
    ...changes,
  }
}
const signed = (
  changes: Readonly<Record<string, unknown>> = {},
  headerChanges: Readonly<Record<string, unknown>> = {},
) => signRaw(key.privateKey, header(headerChanges), claims(changes))
/** What the gateway makes of a request: bearerOf, then the verifier. */
const verifyRequest = async (ctx: ReturnType<typeof koaContext>) => {
  const sent = bearerOf(ctx)
  if (sent instanceof Refusal) throw sent
  return sent === undefined ? null : verifier.verify(ctx, sent)
}
const verify = (authorization: string) => verifyRequest(koaContext([['Authorization', authorization]]))

/** What a request with this header is refused with. */
const refusalOf = async (authorization: string): Promise<Refusal> => {
  const outcome: unknown = await verify(authorization).catch((error: unknown) => error)
  if (!(outcome instanceof Refusal)) throw new Error(`was not refused: ${JSON.stringify(outcome)}`)
  return outcome
}
const shapeOf = ({ code, status, title, detail, errors, headers, extensions, message }: Refusal) =>
  JSON.stringify({ code, status, title, detail, errors, headers, extensions, message })

const verifierWith = (keys: KeySource, algorithms = ['ES256']) =>
  createTokenVerifier({ issuer, audience, keys, algorithms, ownSignIns: true })

before(async () => {
  folder = await makeTemporaryFolder()
  key = await loadOrMakeSigningKey(join(folder, 'key.pem'))
  issuer = `urn:linkgate:${key.kid}`
  const own = createIssuer(key, audience).keys
  verifier = verifierWith({
    find: (kid, alg) => {
      asked.push(`${kid} ${alg}`)
      return own.find(kid, alg)
    },
  })
})
beforeEach(() => {
  asked = []
})

describe('a good token', () => {
  it('of the own issuer passes, with its subject, scopes and id', async () => {
    const { token } = await createIssuer(key, audience).sign({
      subject: '9007199254740993',
      scope: 'link:read link:create',
      ttlSeconds: 900,
    })
    const verified = await verify(`Bearer ${token}`)
    expect(verified).to.deep.include({
      subject: '9007199254740993',
      issuer,
      scopes: new Set(['link:read', 'link:create']),
    })
    expect(verified?.id).to.be.a('string')
    expect(decodeJwt(token).exp).to.be.closeTo(seconds() + 900, 2)
  })

  for (const [name, make] of [
    ['with its scheme in another case', () => `bEARER ${signed()}`],
    ['with its type spelt out in full', () => `Bearer ${signed({}, { typ: 'application/AT+JWT' })}`],
    ['for several audiences', () => `Bearer ${signed({ aud: ['other', audience] })}`],
    ['without a scope', () => `Bearer ${signed({ scope: undefined })}`],
    ['with an empty scope', () => `Bearer ${signed({ scope: '' })}`],
    ['from a clock 20 seconds ahead', () => `Bearer ${signed({ iat: seconds() + 20, nbf: seconds() + 20 })}`],
    ['with parameters and claims that are not known', () => `Bearer ${signed({ other: { a: [1] } }, { x5t: 'abc' })}`],
    ['of the longest life', () => `Bearer ${signed({ exp: seconds() + 86_400 })}`],
  ] as const) {
    it(`${name} passes`, async () => {
      expect((await verify(make()))?.subject).to.equal('7')
    })
  }

  it('without a scope has none', async () => {
    expect((await verify(`Bearer ${signed({ scope: undefined })}`))?.scopes).to.deep.equal(new Set())
  })

  it('leaves nothing on the state of the request, and reads no secret from it', async () => {
    const ctx = koaContext([['Authorization', `Bearer ${signed()}`]])
    ctx.state.secret = stranger.publicKey
    expect((await verifyRequest(ctx))?.subject).to.equal('7')
    expect(ctx.state).to.have.all.keys('headers')
  })
})

/** Authorization headers of the hostile; made when the keys are there. */
const HOSTILE: Readonly<Record<string, () => string>> = {
  'an empty header': () => '',
  'spaces alone': () => '   ',
  'the scheme alone': () => 'Bearer',
  'the scheme and a space': () => 'Bearer ',
  'another scheme': () => `Basic ${Buffer.from('admin:admin').toString('base64')}`,
  'a good token under another scheme': () => `DPoP ${signed()}`,
  'a good token without a scheme': () => signed(),
  'a good token with a tab for the space': () => `Bearer\t${signed()}`,
  'a good token twice': () => `Bearer ${signed()} ${signed()}`,
  'two credentials in one header': () => `Bearer ${signed()}, Bearer ${signed()}`,
  'a good token in quotes': () => `Bearer "${signed()}"`,
  'a good token and a space': () => `Bearer ${signed()} `,
  'alg none': () => `Bearer ${encodePart(header({ alg: 'none' }))}.${encodePart(claims())}.`,
  'alg None, without the last dot': () => `Bearer ${encodePart(header({ alg: 'None' }))}.${encodePart(claims())}`,
  'alg NONE with a signature': () => `Bearer ${signed({}, { alg: 'NONE' })}`,
  'alg nOnE with a signature of one letter': () =>
    `Bearer ${encodePart(header({ alg: 'nOnE' }))}.${encodePart(claims())}.AA`,
  'alg none with the signature of a good token': () =>
    `Bearer ${encodePart(header({ alg: 'none' }))}.${signed().split('.').slice(1).join('.')}`,
  'HS256 over the public key in PEM form': () =>
    `Bearer ${signHmac(key.publicKey.export({ type: 'spki', format: 'pem' }), header({ alg: 'HS256' }), claims())}`,
  'HS256 over the public key in DER form': () =>
    `Bearer ${signHmac(key.publicKey.export({ type: 'spki', format: 'der' }), header({ alg: 'HS256' }), claims())}`,
  'HS256 over the public JWK': () => `Bearer ${signHmac(JSON.stringify(key.jwk), header({ alg: 'HS256' }), claims())}`,
  'HS256 over an empty key': () => `Bearer ${signHmac('', header({ alg: 'HS256' }), claims())}`,
  'HS256 that calls itself ES256': () =>
    `Bearer ${signHmac(key.publicKey.export({ type: 'spki', format: 'pem' }), header(), claims())}`,
  'RS256 of a stranger under our kid': () => `Bearer ${signRaw(rsa.privateKey, header({ alg: 'RS256' }), claims())}`,
  'ES384 of a key on another curve': () =>
    `Bearer ${signRaw(p384.privateKey, header({ alg: 'ES384' }), claims(), { hash: 'sha384' })}`,
  'a key on another curve that calls itself ES256': () => `Bearer ${signRaw(p384.privateKey, header(), claims())}`,
  'es256 in lower case': () => `Bearer ${signed({}, { alg: 'es256' })}`,
  'alg absent': () => `Bearer ${signed({}, { alg: undefined })}`,
  'alg an array': () => `Bearer ${signed({}, { alg: ['ES256'] })}`,
  'alg __proto__': () => `Bearer ${signed({}, { alg: '__proto__' })}`,
  'a stranger’s key under our kid': () => `Bearer ${signRaw(stranger.privateKey, header(), claims())}`,
  'an embedded jwk': () =>
    `Bearer ${signRaw(stranger.privateKey, header({ jwk: stranger.publicKey.export({ format: 'jwk' }) }), claims())}`,
  jku: () => `Bearer ${signed({}, { jku: 'http://127.0.0.1:9/jwks.json' })}`,
  x5u: () => `Bearer ${signed({}, { x5u: 'http://127.0.0.1:9/cert.pem' })}`,
  x5c: () => `Bearer ${signed({}, { x5c: ['MIIB'] })}`,
  'an unknown crit': () => `Bearer ${signed({}, { crit: ['exp'] })}`,
  'an empty crit': () => `Bearer ${signed({}, { crit: [] })}`,
  'b64 false': () => `Bearer ${signed({}, { b64: false, crit: ['b64'] })}`,
  zip: () => `Bearer ${signed({}, { zip: 'DEF' })}`,
  'a nested token by cty': () => `Bearer ${signed({}, { cty: 'JWT' })}`,
  'kid absent': () => `Bearer ${signed({}, { kid: undefined })}`,
  'kid as a path': () => `Bearer ${signed({}, { kid: '../../../../dev/null' })}`,
  'kid as SQL': () => `Bearer ${signed({}, { kid: "' union select 'secret" })}`,
  'kid as a command': () => `Bearer ${signed({}, { kid: 'key|id' })}`,
  'kid as an address': () => `Bearer ${signed({}, { kid: 'http://127.0.0.1:9/key' })}`,
  'kid of 64 KiB': () => `Bearer ${signed({}, { kid: 'k'.repeat(65_536) })}`,
  'kid of 4 KiB': () => `Bearer ${signed({}, { kid: 'k'.repeat(4_096) })}`,
  'kid a number': () => `Bearer ${signed({}, { kid: 1 })}`,
  'kid an object': () => `Bearer ${signed({}, { kid: { toString: key.kid } })}`,
  'kid an array': () => `Bearer ${signed({}, { kid: [key.kid] })}`,
  'kid empty': () => `Bearer ${signed({}, { kid: '' })}`,
  'kid constructor': () => `Bearer ${signed({}, { kid: 'constructor' })}`,
  'kid with a line break': () => `Bearer ${signed({}, { kid: `${key.kid}\n` })}`,
  'typ absent': () => `Bearer ${signed({}, { typ: undefined })}`,
  'an ID token (typ JWT)': () => `Bearer ${signed({}, { typ: 'JWT' })}`,
  'a logout token': () => `Bearer ${signed({}, { typ: 'logout+jwt' })}`,
  'typ an array': () => `Bearer ${signed({}, { typ: ['at+jwt'] })}`,
  'a JWE of five parts': () =>
    `Bearer ${encodePart({ alg: 'RSA-OAEP', enc: 'A256GCM', typ: 'at+jwt', kid: key.kid })}.AAAA.AAAA.AAAA.AAAA`,
  'enc in a token of three parts': () => `Bearer ${signed({}, { enc: 'A256GCM' })}`,
  'four parts': () => `Bearer ${signed()}.AAAA`,
  'two parts': () => `Bearer ${signed().split('.').slice(0, 2).join('.')}`,
  'one part': () => `Bearer ${signed().split('.')[0]}`,
  'a trailing dot': () => `Bearer ${signed()}.`,
  'a leading dot': () => `Bearer .${signed()}`,
  'dots alone': () => 'Bearer ..',
  'the JSON serialization': () => {
    const [head, payload, signature] = signed().split('.')
    return `Bearer ${JSON.stringify({ protected: head, payload, signature })}`
  },
  'the JSON serialization in base64url': () => `Bearer ${encodePart({ signatures: [] })}`,
  'an empty signature': () => `Bearer ${signed().split('.').slice(0, 2).join('.')}.`,
  'a DER signature': () => `Bearer ${signRaw(key.privateKey, header(), claims(), { dsaEncoding: 'der' })}`,
  'a signature of zeros': () => `Bearer ${signed().split('.').slice(0, 2).join('.')}.${encodePart(Buffer.alloc(64))}`,
  'a signature that is cut': () => `Bearer ${signed().slice(0, -4)}`,
  'a signature over another hash': () => `Bearer ${signRaw(key.privateKey, header(), claims(), { hash: 'sha512' })}`,
  'another payload under a good signature': () => {
    const [head, , signature] = signed().split('.')
    return `Bearer ${head}.${encodePart(claims({ sub: '1' }))}.${signature}`
  },
  padding: () => `Bearer ${signed()}==`,
  'padding inside': () => `Bearer ${encodePart('{}')}=.${encodePart(claims())}.AA`,
  'stray bits at the end of the signature': () => {
    const token = signed()
    const last = token.at(-1) ?? ''
    const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
    return `Bearer ${token.slice(0, -1)}${letters[letters.indexOf(last) + 1]}`
  },
  'letters of plain base64': () =>
    `Bearer ${signed()
      .replaceAll('-', '+')
      .replaceAll('_', '/')
      .replace(/[A-Za-z]$/, '+')}`,
  'white space inside': () => `Bearer ${signed().replace('.', '. ')}`,
  'letters beyond ASCII': () => `Bearer ${signed()}é`,
  'a NUL': () => `Bearer ${signed()}\0`,
  'a header that is no JSON': () => `Bearer ${signRaw(key.privateKey, 'hello', claims())}`,
  'a header that is an array': () => `Bearer ${signRaw(key.privateKey, [header()], claims())}`,
  'a header that is null': () => `Bearer ${signRaw(key.privateKey, 'null', claims())}`,
  'a header with alg twice': () =>
    `Bearer ${signRaw(key.privateKey, `{"alg":"none",${JSON.stringify(header()).slice(1)}`, claims())}`,
  'a header with kid twice, once escaped': () =>
    `Bearer ${signRaw(key.privateKey, `{"k\\u0069d":"x",${JSON.stringify(header()).slice(1)}`, claims())}`,
  'a header with a comment': () => `Bearer ${signRaw(key.privateKey, `${JSON.stringify(header())}//`, claims())}`,
  'a header that starts with a byte order mark': () =>
    `Bearer ${signRaw(key.privateKey, `\ufeff${JSON.stringify(header())}`, claims())}`,
  'a header of 1,000 levels': () =>
    `Bearer ${signRaw(
      key.privateKey,
      `{"a":${'['.repeat(1_000)}${']'.repeat(1_000)},${JSON.stringify(header()).slice(1)}`,
      claims(),
    )}`,
  'a payload that is no JSON': () => `Bearer ${signRaw(key.privateKey, header(), 'hello')}`,
  'a payload that is empty JSON text': () => `Bearer ${signRaw(key.privateKey, header(), '""')}`,
  'a payload that is a number': () => `Bearer ${signRaw(key.privateKey, header(), '1')}`,
  'a payload that is true': () => `Bearer ${signRaw(key.privateKey, header(), 'true')}`,
  'a payload that is null': () => `Bearer ${signRaw(key.privateKey, header(), 'null')}`,
  'a payload that is a text': () =>
    `Bearer ${signRaw(key.privateKey, header(), JSON.stringify(JSON.stringify(claims())))}`,
  'a payload that is an array': () => `Bearer ${signRaw(key.privateKey, header(), [claims()])}`,
  'a payload with sub twice': () =>
    `Bearer ${signRaw(key.privateKey, header(), `{"sub":"1",${JSON.stringify(claims()).slice(1)}`)}`,
  'a payload with a duplicate deep inside': () =>
    `Bearer ${signRaw(key.privateKey, header(), `{"a":{"b":1,"b":2},${JSON.stringify(claims()).slice(1)}`)}`,
  'a payload that is not UTF-8': () =>
    `Bearer ${signRaw(
      key.privateKey,
      header(),
      Buffer.concat([Buffer.from(JSON.stringify(claims({ x: '' })).slice(0, -2)), Buffer.from([0xff, 0x22, 0x7d])]),
    )}`,
  'a token of 9 KiB': () => `Bearer ${signed({ x: 'x'.repeat(9_000) })}`,
  'exp absent': () => `Bearer ${signed({ exp: undefined })}`,
  'exp null': () => `Bearer ${signed({ exp: null })}`,
  'exp a text': () => `Bearer ${signed({ exp: String(seconds() + 900) })}`,
  'exp 1e400': () =>
    `Bearer ${signRaw(key.privateKey, header(), JSON.stringify(claims({ exp: 0 })).replace('"exp":0', '"exp":1e400'))}`,
  'exp not whole': () => `Bearer ${signed({ exp: seconds() + 900.5 })}`,
  'exp in milliseconds': () => `Bearer ${signed({ exp: Date.now() })}`,
  'exp too far ahead': () => `Bearer ${signed({ exp: seconds() + 86_401 })}`,
  'exp too far from an old iat': () => `Bearer ${signed({ iat: seconds() - 90_000 })}`,
  'exp passed an hour ago': () => `Bearer ${signed({ iat: seconds() - 7_200, exp: seconds() - 3_600 })}`,
  'exp passed this second': () => `Bearer ${signed({ iat: seconds() - 10, exp: seconds() })}`,
  'exp before iat': () => `Bearer ${signed({ iat: seconds() + 20, exp: seconds() + 10 })}`,
  'exp negative': () => `Bearer ${signed({ exp: -1 })}`,
  'exp an array': () => `Bearer ${signed({ exp: [seconds() + 900] })}`,
  'iat absent': () => `Bearer ${signed({ iat: undefined })}`,
  'iat a text': () => `Bearer ${signed({ iat: String(seconds()) })}`,
  'iat in the future': () => `Bearer ${signed({ iat: seconds() + 60 })}`,
  'nbf in the future': () => `Bearer ${signed({ nbf: seconds() + 60 })}`,
  'nbf a text': () => `Bearer ${signed({ nbf: '0' })}`,
  'iss absent': () => `Bearer ${signed({ iss: undefined })}`,
  'another iss': () => `Bearer ${signed({ iss: 'https://issuer.example' })}`,
  'iss with a slash more': () => `Bearer ${signed({ iss: `${issuer}/` })}`,
  'iss an array': () => `Bearer ${signed({ iss: [issuer] })}`,
  'aud absent': () => `Bearer ${signed({ aud: undefined })}`,
  'another aud': () => `Bearer ${signed({ aud: 'other' })}`,
  'aud in another case': () => `Bearer ${signed({ aud: 'Linkgate' })}`,
  'aud empty': () => `Bearer ${signed({ aud: [] })}`,
  'aud nested': () => `Bearer ${signed({ aud: [[audience]] })}`,
  'aud with something else than texts': () => `Bearer ${signed({ aud: [audience, 1] })}`,
  'sub absent': () => `Bearer ${signed({ sub: undefined })}`,
  'sub empty': () => `Bearer ${signed({ sub: '' })}`,
  'sub a number': () => `Bearer ${signed({ sub: 7 })}`,
  'sub of 256 letters': () => `Bearer ${signed({ sub: '7'.repeat(256) })}`,
  'sub an object': () => `Bearer ${signed({ sub: { id: '7' } })}`,
  'jti absent': () => `Bearer ${signed({ jti: undefined })}`,
  'jti a number': () => `Bearer ${signed({ jti: 1 })}`,
  'scope an array': () => `Bearer ${signed({ scope: ['link:delete'] })}`,
  'scope true': () => `Bearer ${signed({ scope: true })}`,
  'scope null': () => `Bearer ${signed({ scope: null })}`,
  'scope with two spaces': () => `Bearer ${signed({ scope: 'link:read  link:delete' })}`,
  'scope with a line break': () => `Bearer ${signed({ scope: 'link:read\nlink:delete' })}`,
  'claims in __proto__ alone': () =>
    `Bearer ${signRaw(key.privateKey, header(), `{"__proto__":${JSON.stringify(claims())}}`)}`,
}

describe('a hostile token', () => {
  it('is tried in at least 60 forms', () => {
    expect(Object.keys(HOSTILE)).to.have.length.at.least(60)
  })

  for (const [name, make] of Object.entries(HOSTILE)) {
    it(`with ${name} is refused with the one constant answer`, async () => {
      const refusal = await refusalOf(make())
      expect(shapeOf(refusal)).to.equal(shapeOf(invalidToken()))
      expect(refusal.headers).to.deep.equal({
        'WWW-Authenticate':
          'Bearer realm="linkgate", error="invalid_token", error_description="The access token is not valid"',
      })
    })
  }

  it('makes no key source be asked for anything but a short name and a known algorithm', async () => {
    for (const make of Object.values(HOSTILE)) await refusalOf(make())
    expect(asked.filter((each) => !/^[A-Za-z0-9._~+/=:-]{1,128} ES256$/.test(each))).to.deep.equal([])
  })

  it('has a cause for the log that quotes nothing of it', async () => {
    const refusal = await refusalOf(`Bearer ${signed({ sub: 'secret-subject', aud: 'other' })}`)
    const told = refusal.cause instanceof Error ? refusal.cause.message : ''
    expect(told).to.not.equal('')
    expect(told).to.not.include('secret-subject')
  })

  it('stays refused where the state of the request carries a secret for it', async () => {
    const ctx = koaContext([['Authorization', `Bearer ${signRaw(stranger.privateKey, header(), claims())}`]])
    ctx.state.secret = stranger.publicKey
    expect(await verifyRequest(ctx).catch((error: unknown) => error)).to.include({ code: 'invalid_token' })
  })
})

/** What HTTP itself says of three of them, before anybody looks at a token. */
const BEFORE_THE_GATEWAY: Readonly<Record<string, number>> = {
  'a NUL': 400,
  'kid of 64 KiB': 431,
  // white space around a header's value is no part of it (RFC 9110 §5.5), so this is a good token
  'a good token and a space': 200,
}

describe('a hostile token sent to the service', () => {
  let service: TestService
  let log: KeptLog
  before(async () => {
    log = keepLog()
    service = await startTestService({
      log: log.log,
      environment: { JWT_SIGNING_KEY_FILE: await madeSigningKey(join(folder, 'key.pem')) },
    })
    await addUserWithId(service.db, '7', 'admin')
  })
  after(() => service.stop())

  /** Sends a request as bytes: no client would send all of these. */
  const send = (path: string, authorization: string): Promise<string> =>
    new Promise((resolve, reject) => {
      const { hostname, port, host } = new URL(service.baseUrl)
      let answer = ''
      const socket = connect({ host: hostname, port: Number(port) }, () => {
        socket.write(
          `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nAuthorization: ${authorization}\r\nConnection: close\r\n\r\n`,
        )
      })
      socket
        .setEncoding('utf8')
        .on('data', (text: string) => {
          answer += text
        })
        .on('close', () => resolve(answer))
        .on('error', (error) => {
          if (answer === '') reject(error)
        })
    })

  for (const path of ['/users/me', '/links/absent']) {
    it(`for ${path} is 401, never 5xx, with one constant answer`, async () => {
      const good = signed({ scope: 'profile:read link:read' })
      expect(await send(path, `Bearer ${good}`), 'a good one').to.match(/^HTTP\/1\.1 (?:200|404) /)
      const shapes = new Set<string>()
      for (const [name, make] of Object.entries(HOSTILE)) {
        const answer = await send(path, make())
        const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(answer)?.[1])
        const expected = BEFORE_THE_GATEWAY[name] ?? 401
        if (expected === 200) expect(status, name).to.be.oneOf([200, 403, 404])
        else expect(status, `${name}: ${answer}`).to.equal(expected)
        if (expected === 401)
          shapes.add(
            answer.replaceAll(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'ID').replace(/Date: [^\r]+/, ''),
          )
      }
      expect([...shapes]).to.have.length(1)
    })
  }

  it('is no fault of ours: nothing is logged as one', () => {
    expect(log.lines().filter((line) => /"level":[56]0/.test(line))).to.deep.equal([])
  })
})

describe('where a token is looked for', () => {
  it('is the header alone: none there means none, whatever query and cookie say', async () => {
    const token = signed()
    const ctx = koaContext(
      [
        ['Cookie', `token=${token}; access_token=${token}`],
        ['X-Authorization', `Bearer ${token}`],
        ['Proxy-Authorization', `Bearer ${token}`],
      ],
      `/?access_token=${token}&token=${token}`,
    )
    expect(await verifyRequest(ctx)).to.equal(null)
  })

  it('does not fall back to a cookie where the header is bad', async () => {
    const token = signed()
    const ctx = koaContext(
      [
        ['Authorization', 'Bearer'],
        ['Cookie', `token=${token}`],
      ],
      `/?access_token=${token}`,
    )
    expect(await verifyRequest(ctx).catch((error: unknown) => error)).to.include({ code: 'invalid_token' })
  })

  for (const [first, second] of [
    ['Authorization', 'Authorization'],
    ['authorization', 'AUTHORIZATION'],
  ] as const) {
    it(`refuses two headers (${first}, ${second}) with 400, also where both are good`, async () => {
      const ctx = koaContext([
        [first, `Bearer ${signed()}`],
        [second, `Bearer ${signed()}`],
      ])
      expect(await verifyRequest(ctx).catch((error: unknown) => error)).to.include({
        code: 'invalid_request',
        status: 400,
      })
    })
  }

  it('takes a value that reads "authorization" for no header name', async () => {
    const ctx = koaContext([
      ['X-Header', 'authorization'],
      ['X-Other', 'x'],
    ])
    expect(await verifyRequest(ctx)).to.equal(null)
  })
})

describe('the keys of an issuer', () => {
  const withKeys = (find: () => Promise<never>) =>
    verifierWith({ find })
      .verify(koaContext(), signed())
      .catch((error: unknown) => error)

  it('that cannot be had are 503, not 401', async () => {
    const away = new Refusal('issuer_unavailable', { headers: { 'Retry-After': '1' } })
    expect(await withKeys(() => Promise.reject(away))).to.equal(away)
  })

  it('that do not hold the one named are 401 of the constant shape, whatever the source throws', async () => {
    for (const error of [new Error('no such key'), new Refusal('not_found'), 'a text', undefined]) {
      const refusal = await withKeys(() => Promise.reject(error))
      if (!(refusal instanceof Refusal)) throw new Error('was not refused')
      expect(shapeOf(refusal)).to.equal(shapeOf(invalidToken()))
    }
  })

  it('are never taken for a secret: a source that hands out a private key verifies nothing', async () => {
    const keys = { find: async () => key.privateKey }
    const refusal = await verifierWith(keys)
      .verify(koaContext(), signed())
      .catch((error: unknown) => error)
    expect(refusal).to.include({ code: 'invalid_token' })
  })

  it('serve one algorithm each', async () => {
    const keys = { find: async (_: string, alg: string) => (alg === 'ES256' ? rsa.publicKey : key.publicKey) }
    const both = verifierWith(keys, ['ES256', 'RS256'])
    expect(await both.verify(koaContext(), signed()).catch((error: unknown) => error)).to.include({
      code: 'invalid_token',
    })
  })

  for (const alg of ['none', 'HS256', 'EdDSA', '']) {
    it(`refuse to start with the algorithm ${JSON.stringify(alg)}`, () => {
      const { keys } = createIssuer(key, audience)
      expect(() => verifierWith(keys, [alg])).to.throw('not supported')
    })
  }
})

describe('a signature that was verified before', () => {
  const ask = (verifying: TokenVerifier, token: string) =>
    verifying.verify(koaContext(), token).then(
      () => 'passed',
      (error: unknown) => (error instanceof Refusal ? error.code : error),
    )

  it('vouches for that token alone, to the last bit, and for as long as its claims hold', async () => {
    const token = signed()
    expect(await ask(verifier, token)).to.equal('passed')
    expect(await ask(verifier, token)).to.equal('passed')
    const [head, payload, signature = ''] = token.split('.')
    const bytes = Buffer.from(signature, 'base64url')
    bytes[5] = (bytes[5] ?? 0) ^ 1
    expect(await ask(verifier, `${head}.${payload}.${bytes.toString('base64url')}`)).to.equal('invalid_token')
    expect(await ask(verifier, `${head}.${encodePart(claims({ sub: '8' }))}.${signature}`)).to.equal('invalid_token')
    // verified while it was good, and no longer
    const brief = signed({ iat: seconds() - 10, exp: seconds() + 2 })
    expect(await ask(verifier, brief)).to.equal('passed')
    await until('the token expires', async () => (await ask(verifier, brief)) === 'invalid_token')
  })

  it('vouches for nothing once its key is gone, or another goes by its name', async () => {
    let current: () => Promise<typeof key.publicKey> = async () => key.publicKey
    const rotating = verifierWith({ find: () => current() })
    const token = signed()
    expect(await ask(rotating, token)).to.equal('passed')
    current = async () => stranger.publicKey
    expect(await ask(rotating, token)).to.equal('invalid_token')
    current = async () => {
      throw new Error('no such key')
    }
    expect(await ask(rotating, token)).to.equal('invalid_token')
  })
})
