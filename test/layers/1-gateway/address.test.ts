import { expect } from 'chai'

import { addressBucket, clientAddress } from '../../../src/layers/1-gateway/address.js'

const socket = '203.0.113.9'

describe('the address of a client', () => {
  for (const [hops, forwardedFor, expected] of [
    [0, undefined, socket],
    [0, '198.51.100.1', socket],
    [1, undefined, socket],
    [1, '198.51.100.1', '198.51.100.1'],
    [1, '1.1.1.1, 198.51.100.1', '198.51.100.1'],
    [1, '1.1.1.1,2.2.2.2,198.51.100.1', '198.51.100.1'],
    [2, '1.1.1.1, 198.51.100.1, 10.0.0.1', '198.51.100.1'],
    [2, '198.51.100.1', '198.51.100.1'],
    [1, '198.51.100.1:5678', '198.51.100.1'],
    [1, '[2001:DB8::1]:5678', '2001:db8::1'],
    [1, '2001:db8:0:0::1', '2001:db8::1'],
    [1, '::ffff:198.51.100.1', '198.51.100.1'],
    [1, 'unknown', socket],
    [1, '', socket],
    [1, ',', socket],
    [1, '198.51.100.1,', socket],
    [1, '198.51.100.256', socket],
    [1, "'; drop table users", socket],
    [1, '198.51.100.1\u0000', socket],
    [1, ' '.repeat(100_000), socket],
  ] as const) {
    const header = JSON.stringify(forwardedFor)?.slice(0, 60)
    it(`is ${expected} with ${hops} trusted hops and X-Forwarded-For ${header}`, () => {
      expect(clientAddress({ remoteAddress: socket, forwardedFor }, hops)).to.equal(expected)
    })
  }

  it('stays in one bucket whatever a client prepends to X-Forwarded-For', () => {
    const seen = Array.from({ length: 200 }, (_, i) =>
      clientAddress({ remoteAddress: '10.0.0.1', forwardedFor: `198.51.${i}.1, 2001:db8:${i}::1, 192.0.2.7` }, 1),
    )
    expect(new Set(seen.map(addressBucket))).to.deep.equal(new Set(['192.0.2.7']))
  })

  it('is "unknown" where the socket is gone', () => {
    expect(clientAddress({ remoteAddress: undefined, forwardedFor: undefined }, 0)).to.equal('unknown')
    expect(addressBucket('unknown')).to.equal('unknown')
  })
})

describe('the bucket of an address', () => {
  for (const [address, bucket] of [
    ['192.0.2.1', '192.0.2.1'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['::FFFF:c000:0201', '192.0.2.1'],
    ['0:0:0:0:0:ffff:192.0.2.1', '192.0.2.1'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:0DB8:0001:0002::', '2001:db8:1:2::/64'],
    ['2001:db8:1:2:ffff:ffff:ffff:ffff', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['::', '0:0:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['64:ff9b::192.0.2.1', '64:ff9b:0:0::/64'],
  ] as const) {
    it(`of ${address} is ${bucket}`, () => {
      expect(addressBucket(address)).to.equal(bucket)
    })
  }

  it('differs between two /64', () => {
    expect(addressBucket('2001:db8:1:2::1')).to.not.equal(addressBucket('2001:db8:1:3::1'))
  })
})
