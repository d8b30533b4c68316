import { expect } from 'chai'

import { isCode } from '../../src/domain/link.js'
import { isReservedCode } from '../../src/routes/reserved-codes.js'
import { startTestService, type TestService } from '../support/service.js'

describe('reserved codes', () => {
  let service: TestService

  before(async () => {
    service = await startTestService()
  })
  after(() => service.stop())

  it('hold the first word of every path, and the second where it could be taken for a code, in any case', () => {
    for (const { path } of service.routes) {
      const [, first = '', second = ''] = path.split('/')
      for (const word of [first, first === 'links' ? second : first]) {
        // a word that is no code needs no reserving; its part before a dot might be asked for all the same
        if (word.startsWith(':') || !isCode(word)) continue
        for (const each of [word, word.toUpperCase(), word.replace(/^./, (c) => c.toUpperCase())])
          expect(isReservedCode(each), each).to.equal(true)
      }
    }
  })

  it('leave ordinary codes free', () => {
    for (const code of ['abc', 'linkss', 'my-links', 'users2', 'doc', 'A']) expect(isReservedCode(code)).to.equal(false)
  })
})
