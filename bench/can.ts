import { readFile } from 'node:fs/promises'

import { AbilityBuilder, createMongoAbility, subject } from '@casl/ability'
import { preparsePolicySet, statefulIsAuthorized } from '@cedar-policy/cedar-wasm/nodejs'
import { newEnforcer } from 'casbin'

import { PACKAGE_ROOT } from '../src/config.js'
import type { ObjectRow } from '../src/domain/policy-row.js'
import { casbinModel, parseModel } from '../src/policy/model.js'
import { rowTexts } from '../src/policy/parse-row.js'
import { parsePolicyCsv } from '../src/policy/csv.js'
import { buildSnapshot } from '../src/policy/snapshot.js'
import type { Suite } from './report.js'
import { measure } from './measure.js'

interface Question {
  readonly user: { readonly id: string; readonly role: string } | null
  readonly action: string
  readonly link: { readonly owner_id: string } | null
}

const ROLES = ['admin', 'editor', 'viewer'] as const
const ACTIONS = ['link:read', 'link:create', 'link:update', 'link:delete', 'user:invite'] as const

/** Cycles through every role, action and relation, so that the branch predictor cannot learn one answer. */
const questions: readonly Question[] = ACTIONS.flatMap((action) => [
  { user: null, action, link: { owner_id: '7' } },
  ...ROLES.flatMap((role) => ['7', '8'].map((id) => ({ user: { id, role }, action, link: { owner_id: '7' } }))),
])

/** R1 to R6, written by hand. */
const byHand = ({ user, action, link }: Question): boolean => {
  if (action === 'link:read') return true
  if (user === null) return false
  if (user.role === 'admin') return true
  if (action === 'link:create') return true
  if (action === 'link:delete' || action === 'link:update')
    return link !== null && user.id !== '' && link.owner_id === user.id
  return false
}

/** The same rules in CASL, one ability for each user, kept: its documentation's advice for speed. */
const viaCasl = () => {
  const abilityOf = (user: Question['user']) => {
    const { can, build } = new AbilityBuilder(createMongoAbility)
    can('link:read', 'Link')
    if (user?.role === 'admin') can('manage', 'all')
    if (user !== null) {
      can('link:create', 'Link')
      can(['link:update', 'link:delete'], 'Link', { owner_id: user.id })
    }
    return build()
  }
  const kept = new Map<string, ReturnType<typeof abilityOf>>()
  return ({ user, action, link }: Question): boolean => {
    const key = `${user?.role}:${user?.id}`
    let ability = kept.get(key)
    if (ability === undefined) kept.set(key, (ability = abilityOf(user)))
    return ability.can(action, subject('Link', { ...link }))
  }
}

/**
 * The same rules in Cedar, its policies parsed once; the entities of a question are given with it, as its interface
 * asks.
 */
const viaCedar = () => {
  const parsed = preparsePolicySet('links', {
    staticPolicies: `
    permit (principal, action == Action::"link:read", resource);
    permit (principal, action, resource) when { principal.role == "admin" };
    permit (principal, action == Action::"link:create", resource) when { principal.role != "anonymous" };
    permit (principal, action in [Action::"link:update", Action::"link:delete"], resource)
      when { principal.role != "anonymous" && resource.owner == principal };`,
  })
  if (parsed.type !== 'success') throw new Error(JSON.stringify(parsed))
  return ({ user, action, link }: Question): boolean => {
    const principal = { type: 'User', id: user?.id ?? 'anonymous' }
    const resource = { type: 'Link', id: '1' }
    const answer = statefulIsAuthorized({
      principal,
      resource,
      action: { type: 'Action', id: action },
      context: {},
      preparsedPolicySetId: 'links',
      entities: [
        { uid: principal, attrs: { role: user?.role ?? 'anonymous' }, parents: [] },
        { uid: resource, attrs: { owner: { __entity: { type: 'User', id: link?.owner_id ?? '' } } }, parents: [] },
      ],
    })
    if (answer.type !== 'success') throw new Error(JSON.stringify(answer))
    return answer.response.decision === 'allow'
  }
}

/** Rows that name other roles and actions, below the default ones. */
export const moreRows = (count: number): ObjectRow[] =>
  Array.from({ length: count }, (_, i) => ({
    ptype: 'p',
    priority: 2_000_000 + i,
    rule: 'X',
    role: `role-${i % 1_000}`,
    action: `thing_${Math.floor(i / 1_000)}:read`,
    reach: 'any',
    effect: 'allow',
  }))

const defaults = async () => {
  const model = parseModel(await readFile(new URL('model.conf', PACKAGE_ROOT), 'utf8'))
  const text = await readFile(new URL('policies/default.csv', PACKAGE_ROOT), 'utf8')
  return { model, rows: parsePolicyCsv('policies/default.csv', text).rows }
}

const ROUNDS_OF_QUESTIONS = 20_000

/**
 * `can()` on the default rows against the same rules by hand and Casbin's own `enforceSync`; and against itself with
 * more rows.
 */
export const canSuite = async (): Promise<Suite> => {
  const { model, rows } = await defaults()
  const snapshots = await Promise.all(
    [0, 1_000, 100_000].map((count) => buildSnapshot(1, model, [...rows, ...moreRows(count)])),
  )
  const casbin = await newEnforcer(casbinModel(model.text))
  for (const row of rows) {
    const section = row.ptype === 'g' ? 'g' : 'p'
    casbin.getModel().model.get(section)?.get(row.ptype)?.policy.push(rowTexts(row))
  }
  await casbin.buildRoleLinks()

  let allowed = 0
  const ask = (times: number, decide: (question: Question) => boolean) => () => {
    for (let i = 0; i < times; i += 1) for (const question of questions) if (decide(question)) allowed += 1
  }
  const viaSnapshot = (index: number) => (question: Question) =>
    snapshots[index]?.decide(question.user, question.action, question.link).effect === 'allow'
  const viaCasbin = ({ user, action, link }: Question) =>
    casbin.enforceSync({ role: user?.role ?? 'anonymous', id: user?.id ?? '' }, action, {
      owner_id: link?.owner_id ?? '',
    })

  const [casl, cedar] = [viaCasl(), viaCedar()]
  // the figures are only comparable if the answers agree
  for (const question of questions) {
    if ([viaSnapshot(0), viaCasbin, casl, cedar].some((decide) => decide(question) !== byHand(question)))
      throw new Error(`the answers differ: ${JSON.stringify(question)}`)
  }
  const many = ROUNDS_OF_QUESTIONS
  const measured = await measure([
    { name: 'by hand (if-chain)', batch: many * questions.length, run: ask(many, byHand) },
    { name: 'can(), default rows', batch: many * questions.length, run: ask(many, viaSnapshot(0)) },
    { name: 'can(), 1,000 rows more', batch: many * questions.length, run: ask(many, viaSnapshot(1)) },
    { name: 'can(), 100,000 rows more', batch: many * questions.length, run: ask(many, viaSnapshot(2)) },
    { name: 'CASL, abilities kept', batch: 1_000 * questions.length, run: ask(1_000, casl) },
    { name: 'cedar-wasm, policies parsed once', batch: 20 * questions.length, run: ask(20, cedar) },
    { name: 'casbin enforceSync', batch: 40 * questions.length, run: ask(40, viaCasbin) },
  ])
  return { title: 'One decision', baseline: 'can(), default rows', unit: 'ns', measured }
}
