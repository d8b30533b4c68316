import { expect } from 'chai'

import { at, listAt } from '../support/json.js'
import { addLink, freshCode } from '../support/records.js'
import type { TestService, TestUser } from '../support/service.js'
import { startWithCallers, type Callers } from '../support/two-callers.js'

describe('the count of a list', () => {
  let callers: Callers
  let service: TestService
  before(async () => {
    callers = await startWithCallers()
    service = callers.service
    for (let i = 0; i < 3; i += 1) await addLink(service.db, { owner: callers.editor.id })
    for (let i = 0; i < 2; i += 1) await addLink(service.db, { owner: callers.other.id })
    await service.db.asOwner(
      `update links set tags = '{spring}', title = 'Blossom' where id = (select min(id) from links)`,
    )
  })
  after(() => service.stop())

  const counted = async (path: string, { token }: TestUser): Promise<unknown> => {
    const answer = await service.request('GET', `${path}${path.includes('?') ? '&' : '?'}count=true`, { token })
    expect(answer.status, answer.text).to.equal(200)
    return at(answer.json, 'count')
  }

  it('is there where it is asked for, and of all pages', async () => {
    const answer = await service.request('GET', '/links?limit=1', { token: callers.editor.token })
    expect(answer.json).to.have.keys('data', 'next_cursor')
    expect(await counted('/links?limit=1', callers.editor)).to.equal(3)
    const cursor = String(at(answer.json, 'next_cursor'))
    expect(await counted(`/links?limit=1&cursor=${cursor}`, callers.editor)).to.equal(3)
    expect((await service.request('GET', '/links?count=yes', { token: callers.editor.token })).status).to.equal(400)
  })

  it('has what the caller reaches, and nothing else', async () => {
    expect(await counted('/links', callers.other)).to.equal(2)
    expect(await counted('/links', callers.viewer)).to.equal(0)
    expect(await counted('/links', callers.admin)).to.equal(5)
    expect(await counted('/links?tag=spring', callers.other)).to.equal(0)
    expect(await counted('/links?q=blossom', callers.other)).to.equal(0)
  })

  it('is that of the filters', async () => {
    for (const query of ['tag=spring', 'q=blossom', 'q=blossom&tag=spring', 'sort=visits&tag=spring']) {
      expect(await counted(`/links?${query}`, callers.editor), query).to.equal(1)
      expect(await counted(`/links?${query}`, callers.admin), query).to.equal(1)
    }
    expect(await counted(`/links?owner_id=${callers.other.id}`, callers.admin)).to.equal(2)
    expect(await counted('/links?state=expired', callers.admin)).to.equal(0)
  })

  it('is there for the trash, users, revisions and the log', async () => {
    const code = freshCode()
    await service.request('POST', '/links', {
      token: callers.editor.token,
      json: { target: 'https://example.com', code },
    })
    await service.request('DELETE', `/links/${code}`, { token: callers.editor.token })
    expect(await counted('/links?state=deleted', callers.editor)).to.equal(1)
    expect(await counted('/links?state=deleted', callers.other)).to.equal(0)
    expect(await counted('/users', callers.admin)).to.equal(4)
    expect(await counted('/policy/revisions', callers.admin)).to.equal(1)
    expect(await counted('/audit/decisions?action=link:delete&effect=allow', callers.admin)).to.equal(1)
    expect(await counted('/audit/timeline?kind=decision&action=link:create', callers.admin)).to.equal(1)
  })

  it('and a limit are for pages alone: an export of the log refuses them', async () => {
    for (const [field, value] of [
      ['count', 'true'],
      ['limit', '5'],
    ]) {
      const path = `/audit/decisions?format=csv&${field}=${value}`
      expect((await service.request('GET', path, { token: callers.admin.token })).json).to.deep.include({
        code: 'invalid_query',
        errors: [{ field, message: 'is only for pages; an export has none' }],
      })
    }
    const { json } = await service.request('GET', '/audit/decisions?limit=1', { token: callers.admin.token })
    expect(listAt(json, 'data')).to.have.length(1)
  })

  it('ends at 10,000', async () => {
    await service.db.asOwner(
      `insert into links (code, target, owner_id)
       select 'many-' || n, 'https://example.com/', $1 from generate_series(1, 10100) n`,
      [callers.other.id],
    )
    expect(await counted('/links', callers.other)).to.equal(10_000)
    expect(await counted('/links?q=many-', callers.other)).to.equal(10_000)
    expect(await counted('/links', callers.editor)).to.equal(3)
  })
})
