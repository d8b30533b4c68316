import { at } from './json.js'
import type { TestService } from './service.js'

type Row = Readonly<Record<string, unknown>>

/**
 * Edits the policy as an admin does, over HTTP, and resolves with the new revision. Throws with the answer where the
 * edit is refused.
 */
export const editPolicy = async (
  service: TestService,
  adminToken: string,
  {
    add = [],
    remove = [],
    reason = 'a test',
  }: { readonly add?: readonly Row[]; readonly remove?: readonly Row[]; readonly reason?: string },
): Promise<number> => {
  const policy = await service.request('GET', '/policy', { token: adminToken })
  const answer = await service.request('POST', '/policy/changes', {
    token: adminToken,
    headers: { 'If-Match': `"${String(at(policy.json, 'revision'))}"` },
    json: { add, remove, reason },
  })
  if (answer.status !== 200) throw new Error(`${answer.status} ${answer.text}`)
  return Number(at(answer.json, 'revision'))
}

/** `editPolicy` that adds these rows. */
export const addRows = async (service: TestService, adminToken: string, add: readonly Row[]): Promise<number> =>
  editPolicy(service, adminToken, { add })

/** Rows that let a role call an action's endpoint, on any record. */
export const rowsFor = (role: string, firstPriority: number, ...actions: readonly string[]): readonly Row[] =>
  actions.flatMap((action, i) => [
    { ptype: 'p', priority: firstPriority + i, rule: 'TEST', role, action, reach: 'any', effect: 'allow' },
    { ptype: 'p2', role, action },
  ])
