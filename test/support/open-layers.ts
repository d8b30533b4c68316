import { ACTIONS } from '../../src/domain/action.js'
import type { Decision } from '../../src/domain/decision.js'
import type { User } from '../../src/domain/user.js'
import { requirePermission } from '../../src/layers/3-object/require-permission.js'
import type { Caller } from '../../src/layers/caller.js'
import type { Gateway, Layers } from '../../src/layers/layers.js'
import type { Snapshot } from '../../src/policy/snapshot.js'

// Layers that check nothing, for compositions in which one of the four stands alone. They exist in the tests only.

/** A gateway without limits: the header `X-Caller` names the user, who has every scope. */
export const openGateway = (users: ReadonlyMap<string, User>): Gateway => ({
  admit: async (ctx) => {
    const named = users.get(ctx.get('X-Caller'))
    const token = named && { subject: named.id, issuer: '', scopes: NONE, id: 'lone', ...NO_SESSION }
    return { address: '127.0.0.1', token: token ?? null, quotas: [] }
  },
  identify: async (_, { address, token }): Promise<Caller> => ({
    user: users.get(token?.subject ?? '') ?? null,
    scopes: new Set(ACTIONS),
    tokenId: null,
    ...NO_SESSION,
    external: null,
    address,
  }),
  requireScope: () => undefined,
  countMore: async () => undefined,
  countAccount: async () => undefined,
  countLinkPassword: async () => undefined,
})

const NONE: ReadonlySet<string> = new Set()
const NO_SESSION = { signIn: null, personalToken: null }

export const openEndpoint: Layers['endpoint'] = () => undefined

/** A policy that allows everything, on every record. */
const allowingAll = (snapshot: Snapshot): Snapshot => ({
  ...snapshot,
  decide: (user, action): Decision => ({
    effect: 'allow',
    rule: 'TEST',
    row: null,
    revision: snapshot.revision,
    role: user?.role ?? 'anonymous',
    action,
    relation: 'other',
  }),
  can: () => true,
  reach: () => 'any',
})

export const openObject: Layers['object'] = (snapshot, caller, action, record) =>
  requirePermission(allowingAll(snapshot), caller, action, record)

/** A data layer that gives everybody the rows that an admin reaches. */
export const openData: Layers['data'] = (rule, context) =>
  rule.open({ ...context, snapshot: allowingAll(context.snapshot) })
