import { readFileSync } from 'node:fs'

import { expect } from 'chai'

import { faultOf, released } from '../../release/changelog.js'
import { PACKAGE_ROOT } from '../../src/config.js'

const DAY = new Date('2026-12-24T23:59:59Z')
const CHANGELOG = '# Changelog\n\n## Unreleased\n\n### Added\n\n- One.\n\n## 1.0.0 - 2026-11-01\n\n- Nought.\n'

describe('the changelog of a release', () => {
  it('has what was unreleased under the version and its day, and an empty section above', () => {
    expect(released(CHANGELOG, '1.1.0', DAY)).to.equal(
      CHANGELOG.replace('### Added', '## 1.1.0 - 2026-12-24\n\n### Added'),
    )
  })

  it('is refused where nothing is unreleased, the version was released, or the heading is missing', () => {
    expect(faultOf(CHANGELOG, '1.1.0')).to.equal(undefined)
    expect(faultOf(CHANGELOG, '1.0.0')).to.equal('it has version 1.0.0 already')
    expect(faultOf(released(CHANGELOG, '1.1.0', DAY), '1.2.0')).to.equal('nothing stands under "## Unreleased"')
    expect(faultOf('# Changelog\n\n## Unreleased\n', '1.0.0')).to.equal('nothing stands under "## Unreleased"')
    expect(faultOf('# Changelog\n\n## 1.0.0 - 2026-11-01\n', '1.1.0')).to.equal('it has no heading "## Unreleased"')
  })

  it('of this repository can be released', () => {
    expect(faultOf(readFileSync(new URL('CHANGELOG.md', PACKAGE_ROOT), 'utf8'), '999.0.0')).not.to.match(/heading/)
  })
})
