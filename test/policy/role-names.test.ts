import { expect } from 'chai'

import { findLoneRoles, loneRoleOfUser } from '../../src/policy/role-names.js'
import { csvRows, rowsOf } from '../support/policy.js'

describe('names of roles', () => {
  it('a role that is written once and nowhere else is told, with the nearest name', () => {
    const rows = csvRows('p2, auditr, link:read\np2, auditor, link:read\np2, auditor, audit:read\ng, clerk, editro\n')
    expect(findLoneRoles(rows)).to.deep.equal([
      { role: 'auditr', nearest: 'auditor' },
      { role: 'clerk', nearest: null },
      { role: 'editro', nearest: 'editor' },
    ])
  })

  it('so is one of several rows that is a slip away from a known one', () => {
    const rows = csvRows('p, 7, X, auditr, audit:read, any, allow\np2, auditr, audit:read\n')
    expect(findLoneRoles(rows, ['auditor'])).to.deep.equal([{ role: 'auditr', nearest: 'auditor' }])
    expect(findLoneRoles(rows)).to.deep.equal([])
    expect(findLoneRoles(csvRows('p2, auditr, link:read\n'))).to.deep.equal([{ role: 'auditr', nearest: 'editor' }])
    expect(findLoneRoles(csvRows('p2, editro, link:read\np2, editro, link:create\n'))).to.deep.equal([
      { role: 'editro', nearest: 'editor' },
    ])
  })

  it('known roles are not, nor those of the shipped files', async () => {
    expect(findLoneRoles(csvRows('p2, clerk, link:read\np2, user, link:read\n'), ['clerk'])).to.deep.equal([])
    for (const file of ['default.csv', 'auditor.csv']) expect(findLoneRoles(await rowsOf(file)), file).to.deep.equal([])
  })

  it('a role of a user counts as known where a row or another user has it', () => {
    expect(loneRoleOfUser('editro', [])).to.deep.equal({ role: 'editro', nearest: 'editor' })
    expect(loneRoleOfUser('editro', ['editro'])).to.equal(null)
    expect(loneRoleOfUser('admin', [])).to.equal(null)
  })
})
