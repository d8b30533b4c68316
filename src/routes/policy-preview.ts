import { createAccounts } from '../identity/accounts.js'
import { route } from '../layers/compose.js'
import type { Route } from '../layers/route.js'
import { describeFinding } from '../policy/analysis.js'
import { parseEdit, viewPlan } from '../policy/edit.js'
import { describeUnmet } from '../policy/expectations.js'
import { createPreviews } from '../policy/preview.js'
import { replayPart, replayed, type PolicyParts } from './policy-edit.js'
import { PreviewQuery, PreviewView } from './policy-preview-schemas.js'
import { ProposedRows } from './policy-schemas.js'
import { READING_POLICY } from './shared-layers.js'

/**
 * POST /policy/previews: the effects and problems of an edit, even of one that would be refused. A dry run returns what
 * the edit itself would return; this is for an author who is still writing it.
 */
export const policyPreviewRoute = ({ database, rules, replays, analyses }: PolicyParts): Route => {
  const previewEdit = createPreviews(rules)
  return route({
    ...READING_POLICY,
    method: 'post',
    path: '/policy/previews',
    query: PreviewQuery,
    body: ProposedRows,
    storesInput: false,
    part: replayPart(replays),
    handle: async ({ body, query, snapshot, caller, part, deadline }) => {
      const edit = parseEdit(body.add, body.remove)
      const { plan, objections, bindsMaker, findings, unmet, asked } = await analyses(async () =>
        previewEdit(snapshot, edit, {
          maker: caller.user,
          rolesInUse: await createAccounts(database).rolesInUse(),
          deadline,
        }),
      )
      return {
        status: 200,
        body: {
          revision: snapshot.revision,
          ...viewPlan(plan),
          objections: objections.map(({ code, status, detail, extensions }) => ({
            code,
            status,
            detail: detail ?? '',
            ...extensions,
          })),
          binds_maker: bindsMaker,
          findings: findings.map((finding) => ({ ...finding, message: describeFinding(finding) })),
          expectations: {
            asked,
            unmet: unmet.map(({ isNew, ...each }) => {
              const { expectation, effect, rule, row } = each
              const { effect: expected, ...question } = expectation
              return { ...question, expected, effect, rule, row, is_new: isNew, message: describeUnmet(each) }
            }),
          },
          ...(await replayed(part, query, snapshot, plan.candidate)),
        },
      }
    },
    documentation: {
      id: 'previewPolicyChange',
      example: { body: { add: [{ ptype: 'p2', role: 'auditor', action: 'link:read' }], remove: [] } },
      summary: 'Preview an edit of the policy',
      description:
        'What it would change, what it would have changed (`replay`), and everything wrong with it. Changes nothing.',
      tag: 'policy',
      response: PreviewView,
    },
  })
}
