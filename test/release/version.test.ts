import { expect } from 'chai'

import { mayFollow } from '../../release/version.js'

describe('the version of a release', () => {
  it('is that of package.json, or a newer one, compared as numbers', () => {
    for (const [version, current] of [
      ['0.1.0', '0.1.0'],
      ['0.1.1', '0.1.0'],
      ['0.10.0', '0.9.9'],
      ['1.0.0', '0.99.99'],
    ] as const)
      expect(mayFollow(version, current), `${version} after ${current}`).to.equal(true)
    for (const [version, current] of [
      ['0.1.0', '0.1.1'],
      ['0.9.9', '0.10.0'],
      ['0.99.99', '1.0.0'],
    ] as const)
      expect(mayFollow(version, current), `${version} after ${current}`).to.equal(false)
  })

  it('has three numbers and nothing else', () => {
    for (const version of ['', '1', '1.2', 'v1.2.3', '1.2.3-rc.1', '1.2.3+1', '01.2.3', '1.2.3\n', 'latest'])
      expect(mayFollow(version, '0.1.0'), version).to.equal(false)
  })
})
