import { at } from './json.js'
import type { TestService } from './service.js'

/** Adds rows to the policy as an admin does, over HTTP. Throws with the answer where they are refused. */
export const addRows = async (
  service: TestService,
  adminToken: string,
  add: readonly Readonly<Record<string, unknown>>[],
): Promise<void> => {
  const policy = await service.request('GET', '/policy', { token: adminToken })
  const answer = await service.request('POST', '/policy/changes', {
    token: adminToken,
    headers: { 'If-Match': `"${String(at(policy.json, 'revision'))}"` },
    json: { add, remove: [], reason: 'a test' },
  })
  if (answer.status !== 200) throw new Error(`${answer.status} ${answer.text}`)
}

/** Rows that let a role call an action's endpoint, on any record. */
export const rowsFor = (
  role: string,
  firstPriority: number,
  ...actions: readonly string[]
): readonly Readonly<Record<string, unknown>>[] =>
  actions.flatMap((action, i) => [
    { ptype: 'p', priority: firstPriority + i, rule: 'TEST', role, action, reach: 'any', effect: 'allow' },
    { ptype: 'p2', role, action },
  ])
