import { expect } from 'chai'

import { targetRule, type OwnPlace } from '../../src/routes/target.js'

const isOwn = (place: OwnPlace, target: string) => {
  const { error } = targetRule(place).safeParse(target)
  return error?.issues.some(({ message }) => message === 'must not be on this service itself') === true
}

describe('a target is not on this service itself', () => {
  const local: OwnPlace = { baseUrl: 'http://127.0.0.1:3000', host: '127.0.0.1', port: 3000, addresses: [] }
  const onLoopback: OwnPlace = { ...local, addresses: ['192.0.2.7'] }
  const behindProxy: OwnPlace = {
    baseUrl: 'https://links.example',
    host: '0.0.0.0',
    port: 3000,
    addresses: ['192.0.2.7', '2001:db8::7'],
  }

  for (const host of [
    '127.0.0.1',
    'localhost',
    'LOCALHOST',
    'localhost.',
    'app.localhost',
    '127.1',
    '127.8.9.10',
    '2130706433',
    '0x7f000001',
    '0177.0.0.1',
    '0',
    '0.0.0.0',
    '0.1.2.3',
    '[::1]',
    '[::]',
    '[0:0:0:0:0:0:0:1]',
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    '[::ffff:0:0]',
    '[::127.0.0.1]',
    '127.0.0.1.',
    '１２７.0.0.1',
  ]) {
    it(`whatever this machine is called: ${host}`, () => {
      for (const place of [local, behindProxy]) {
        expect(isOwn(place, `http://${host}:3000/x`), place.baseUrl).to.equal(true)
        expect(isOwn(place, `https://${host}:3000`), place.baseUrl).to.equal(true)
        expect(isOwn(place, `http://${host}:3001/x`), 'another port').to.equal(false)
      }
    })
  }

  it('nor by its public name, on any port that leads here', () => {
    for (const target of [
      'https://links.example/x',
      'http://links.example/x',
      'https://LINKS.example.:443/',
      'http://links.example:80/',
      'http://links.example:3000/',
    ])
      expect(isOwn(behindProxy, target), target).to.equal(true)
    for (const target of ['https://other.example/', 'https://links.example:8443/', 'https://links.example.org/'])
      expect(isOwn(behindProxy, target), target).to.equal(false)
  })

  it('nor by an address of this machine, where it listens on all of them', () => {
    for (const host of ['192.0.2.7', '[2001:db8::7]', '[2001:db8:0::0:7]', '[::ffff:192.0.2.7]', '3221225991'])
      expect(isOwn(behindProxy, `http://${host}:3000/`), host).to.equal(true)
    expect(isOwn(onLoopback, 'http://192.0.2.7:3000/'), 'it listens on loopback alone').to.equal(false)
    expect(isOwn(behindProxy, 'http://192.0.2.8:3000/')).to.equal(false)
    expect(isOwn(behindProxy, 'http://192.0.2.7:8080/')).to.equal(false)
  })
})

describe('a target with letters beyond ASCII', () => {
  // Node.js 20 compiles URL.canParse to code that refuses them, once it has run some thousand times
  it('is taken from the first request to the ten thousandth', () => {
    const rule = targetRule({ baseUrl: 'https://links.example', host: '0.0.0.0', port: 3000, addresses: [] })
    for (let n = 1; n <= 10_000; n += 1) {
      const { data } = rule.safeParse('https://bücher.example/straße')
      expect(data, `request ${n}`).to.equal('https://xn--bcher-kva.example/stra%C3%9Fe')
    }
  })
})
