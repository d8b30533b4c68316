import { expect } from 'chai'

import { codesLike } from '../../src/console/parts/codes-like.js'

describe('codes in place of one that is taken', () => {
  const like = (code: string, title: string | null = null, ...tags: readonly string[]) =>
    codesLike({ code, target: 'https://example.com/', title, tags })

  it('are the next numbers, and begin with what its title and its first tag say', () => {
    expect(like('launch', 'Autumn launch', 'spring', 'print')).to.deep.equal([
      'launch-2',
      'autumn-launch',
      'spring-launch',
      'launch-3',
      'launch-4',
      'launch-5',
    ])
    expect(like('Launch-9')).to.deep.equal(['Launch-10', 'Launch-11', 'Launch-12', 'Launch-13'])
    expect(like('launch-2026'), 'a year').to.include('launch-2026-2')
  })

  it('are codes, whatever the title and the tags are', () => {
    expect(like('a', 'Größe & Ärger – im Büro!')).to.include('grosse-arger-im-buro')
    expect(like('a', '発売', '発売')).to.deep.equal(['a-2', 'a-3', 'a-4', 'a-5'])
    expect(like('launch', 'Launch'), 'its own').to.not.include('launch')
    const long = 'x'.repeat(64)
    for (const code of like(long, 'word '.repeat(40), 'tag')) expect(code).to.match(/^[A-Za-z0-9_-]{1,64}$/)
    expect(like(long)[0]).to.equal(`${'x'.repeat(62)}-2`)
  })
})
