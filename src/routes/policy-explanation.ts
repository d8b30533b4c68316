import type { z } from 'zod'

import { Refusal } from '../domain/refusal.js'
import { ENGINE_ROLES } from '../domain/role.js'
import { route } from '../layers/compose.js'
import type { Route } from '../layers/route.js'
import type { DataRule } from '../layers/rules.js'
import { explain } from '../policy/explanation.js'
import { relationOf, roleOf, type Snapshot } from '../policy/snapshot.js'
import { whoMay } from '../policy/who-may.js'
import type { PolicyParts } from './policy-edit.js'
import { ExplanationView, PolicyQuestion } from './policy-explanation-schemas.js'
import { READING_POLICY } from './shared-layers.js'

type Records = Pick<PolicyParts, 'findUser' | 'findLink'>

type Question = z.output<typeof PolicyQuestion>

const missing = (field: string, message: string) => new Refusal('invalid_query', { errors: [{ field, message }] })

/**
 * GET /policy/explanation: explains a decision, for a role and a relation, or for a user and a link. Uses the same
 * `explain()` as recorded requests and AuthZEN.
 */
export const explanationRoute = ({
  findUser,
  findLink,
  shown,
}: Records & {
  readonly shown: (inForce: Snapshot, revision: number | undefined) => Promise<Snapshot>
}): Route => {
  const records: DataRule<Records> = {
    rows: 'the user and the link in question, read-only',
    open: () => ({ findUser, findLink }),
  }
  return route({
    ...READING_POLICY,
    path: '/policy/explanation',
    query: PolicyQuestion,
    // the answer reveals the roles of people and the owners of links
    part: {
      asked: ({ user, link }: Question) => user !== undefined || link !== undefined,
      action: 'policy:evaluate',
      data: records,
    },
    handle: async ({ query, snapshot: inForce, part, deadline }) => {
      const snapshot = await shown(inForce, query.revision)
      const user = query.user === undefined ? null : await part?.findUser(query.user)
      if (query.user !== undefined && !user) throw missing('user', 'is not the id of a user')
      const link = query.link === undefined ? null : await part?.findLink(query.link)
      if (query.link !== undefined && !link) throw missing('link', 'is not the code of a link')
      // as in a real decision, a suspended user is treated as anonymous
      const role = user ? roleOf(user) : query.role
      if (role === undefined) throw missing('role', 'is required without a user')
      const unowned = role === ENGINE_ROLES.anonymous ? 'anonymous' : 'other'
      const relation = user && link ? relationOf(user, link) : (query.relation ?? unowned)
      if ((role === ENGINE_ROLES.anonymous) !== (relation === 'anonymous'))
        throw missing('relation', `is ${role === ENGINE_ROLES.anonymous ? '' : 'not '}anonymous for the role ${role}`)
      const owner = link?.owner_id ? ((await part?.findUser(link.owner_id)) ?? null) : null
      return {
        status: 200,
        body: {
          user: user ? { id: user.id, role: user.role, suspended: user.suspended } : null,
          link: link ? { code: link.code, owner_id: link.owner_id } : null,
          explanation: explain(snapshot, role, query.action, relation),
          who_may: await whoMay(snapshot, query.action, owner, deadline),
        },
      }
    },
    documentation: {
      id: 'explainDecision',
      refusals: ['not_found'],
      example: { query: { role: 'editor', action: 'link:delete', relation: 'other' } },
      summary: 'Explain a decision of the policy',
      description: 'The rows in order, and the one that decides.',
      tag: 'policy',
      response: ExplanationView,
    },
  })
}
