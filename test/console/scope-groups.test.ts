import { expect } from 'chai'

import { SCOPE_GROUPS } from '../../src/console/pages/settings/scopes.js'
import { ACTIONS } from '../../src/domain/action.js'

describe('what a token may be given in the settings', () => {
  it('is every action, once', () => {
    expect(SCOPE_GROUPS.flatMap(({ scopes }) => scopes)).to.have.members([...ACTIONS])
  })
})
