import { expect } from 'chai'

import { startTestService } from '../support/service.js'
import type { TestService, TestUser } from '../support/service.js'

describe('the metrics', () => {
  let service: TestService
  let editor: TestUser
  before(async () => {
    service = await startTestService()
    editor = await service.addUser('editor')
  })
  after(() => service.stop())

  it('count decisions by effect, rule and layer, and requests by route', async () => {
    await service.request('POST', '/links', { token: editor.token, json: { target: 'https://example.com/', code: 'counted' } })
    await service.request('GET', '/counted')
    await service.request('GET', '/policy', { token: editor.token })
    const { status, text } = await service.request('GET', '/metrics')
    expect(status).to.equal(200)
    expect(text).to.include('linkgate_decisions_total{effect="allow",rule="R4",layer="object"} 1')
    expect(text).to.include('linkgate_decisions_total{effect="allow",rule="R1",layer="object"} 1')
    expect(text).to.include('linkgate_decisions_total{effect="deny",rule="role_not_allowed",layer="endpoint"} 1')
    expect(text).to.match(/linkgate_http_request_duration_seconds_count\{method="GET",route="\/:code",status="302"\} 1/)
    expect(text).to.include('linkgate_policy_revision 1')
  })

  it('are not passed on through a proxy', async () => {
    expect((await service.request('GET', '/metrics', { headers: { 'X-Forwarded-For': '203.0.113.9' } })).status).to.equal(404)
  })

  it('have no label that a caller invents', async () => {
    await service.request('GET', '/no/such/path/anywhere')
    expect((await service.request('GET', '/metrics')).text).not.to.include('anywhere')
  })
})
