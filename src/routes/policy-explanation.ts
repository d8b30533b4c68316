import type { z } from 'zod'

import type { Link } from '../domain/link.js'
import type { User } from '../domain/user.js'
import { Refusal } from '../domain/refusal.js'
import { ENGINE_ROLES } from '../domain/role.js'
import { route } from '../layers/compose.js'
import type { DataRule, Route } from '../layers/route.js'
import { explain } from '../policy/explanation.js'
import { relationOf, roleOf } from '../policy/snapshot.js'
import type { Snapshot } from '../policy/snapshot.js'
import { whoMay } from '../policy/who-may.js'
import { ExplanationView, PolicyQuestion } from './policy-explanation-schemas.js'
import { READING_POLICY } from './shared-layers.js'

interface Records {
  readonly findUser: (id: string) => Promise<User | null>
  readonly findLink: (code: string) => Promise<Link | null>
}

type Question = z.output<typeof PolicyQuestion>

const missing = (field: string, message: string) => new Refusal('invalid_query', { errors: [{ field, message }] })

/**
 * GET /policy/explanation: why a question is answered as it is, by role and relation, or about a user and a link. The
 * same `explain()` as for recorded requests and for AuthZEN.
 */
export const explanationRoute = ({
  findUser,
  findLink,
  shown,
}: Records & {
  readonly shown: (inForce: Snapshot, revision: number | undefined) => Promise<Snapshot>
}): Route => {
  const records: DataRule<Records> = {
    rows: 'one user and one link, to ask about alone',
    open: () => ({ findUser, findLink }),
  }
  return route({
    ...READING_POLICY,
    path: '/policy/explanation',
    query: PolicyQuestion,
    // whoever asks about people and their links learns who has which role, and whose a link is
    part: {
      asked: ({ user, link }: Question) => user !== undefined || link !== undefined,
      action: 'policy:evaluate',
      data: records,
    },
    handle: async ({ query, snapshot: inForce, part }) => {
      const snapshot = await shown(inForce, query.revision)
      const user = query.user === undefined ? null : await part?.findUser(query.user)
      if (query.user !== undefined && !user) throw missing('user', 'is not the id of a user')
      const link = query.link === undefined ? null : await part?.findLink(query.link)
      if (query.link !== undefined && !link) throw missing('link', 'is no link')
      // as it would be decided: who is suspended counts as nobody
      const role = user ? roleOf(user) : query.role
      if (role === undefined) throw missing('role', 'is required where there is no user')
      const unowned = role === ENGINE_ROLES.anonymous ? 'anonymous' : 'other'
      const relation = user && link ? relationOf(user, link) : (query.relation ?? unowned)
      const owner = link?.owner_id ? ((await part?.findUser(link.owner_id)) ?? null) : null
      return {
        status: 200,
        body: {
          user: user ? { id: user.id, role: user.role, suspended: user.suspended } : null,
          link: link ? { code: link.code, owner_id: link.owner_id } : null,
          explanation: explain(snapshot, role, query.action, relation),
          who_may: await whoMay(snapshot, query.action, owner),
        },
      }
    },
    documentation: {
      id: 'explainDecision',
      refusals: ['not_found'],
      example: { query: { role: 'editor', action: 'link:delete', relation: 'other' } },
      summary: 'Explain an answer of the policy: the rows in their order, and the one that decides',
      tag: 'policy',
      response: ExplanationView,
    },
  })
}
