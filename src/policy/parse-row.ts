import { isAction } from '../domain/action.js'
import type { Action } from '../domain/action.js'
import { ENGINE_ROLES, isRoleName, isUserRole } from '../domain/role.js'
import type { PolicyRow } from '../domain/policy-row.js'
import type { Fault } from '../domain/refusal.js'

/** What a parse gives: the narrow value, or every fault of it. */
export type Parsed<T> =
  { readonly ok: true; readonly value: T } | { readonly ok: false; readonly faults: readonly Fault[] }

/**
 * The fields of each kind of row after `ptype`, in the order in which Casbin, the database and the CSV files hold them.
 */
export const ROW_FIELDS = {
  p: ['priority', 'rule', 'role', 'action', 'reach', 'effect'],
  p2: ['role', 'action'],
  g: ['role', 'inherits'],
} as const satisfies Record<PolicyRow['ptype'], readonly string[]>

const LARGEST_PRIORITY = 999_999_999
const RULE = /^[A-Z][A-Z0-9-]{0,15}$/
const PRIORITY = /^[1-9]\d{0,8}$/

const isPtype = (value: unknown): value is PolicyRow['ptype'] => value === 'p' || value === 'p2' || value === 'g'

/** `regex:` and `like:` begin a pattern in casbin-pg-adapter's removals: no resource in a row may have those names. */
const PATTERN = /^(?:regex|like):/

const isActionOrAll = (value: unknown): value is Action | '*' =>
  value === '*' || (isAction(value) && !PATTERN.test(value))

/** Collects faults; each check returns the value narrowed, or undefined after noting why not. */
const checker = () => {
  const faults: Fault[] = []
  const check = <T>(field: string, value: unknown, is: (value: unknown) => value is T, rule: string): T | undefined => {
    if (is(value)) return value
    faults.push({ field, message: rule })
    return undefined
  }
  return { faults, check }
}

const ROLE_RULE = 'must be a role: [a-z][a-z0-9_-]{0,31}'
const ACTION_RULE = 'must be <resource>:<verb>, each [a-z][a-z0-9_]{0,31}, or *; the resource not like or regex'

const isPriority = (value: unknown): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= LARGEST_PRIORITY
const isRule = (value: unknown): value is string => typeof value === 'string' && RULE.test(value)
const isReach = (value: unknown): value is 'own' | 'any' => value === 'own' || value === 'any'
const isEffect = (value: unknown): value is 'allow' | 'deny' => value === 'allow' || value === 'deny'
const isInherited = (value: unknown): value is string => value === ENGINE_ROLES.user || isUserRole(value)

/**
 * Parses one row out of JSON into the closed vocabulary, before the engine or the database see any of it.
 * Names every faulty field with the rule it breaks; unknown fields are faults.
 */
export const parseRow = (input: unknown): Parsed<PolicyRow> => {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) {
    return { ok: false, faults: [{ field: '', message: 'must be an object' }] }
  }
  const row = new Map<string, unknown>(Object.entries(input))
  const { faults, check } = checker()
  const ptype = check('ptype', row.get('ptype'), isPtype, 'must be p, p2 or g')
  if (ptype === undefined) return { ok: false, faults }

  const known: readonly string[] = ROW_FIELDS[ptype]
  for (const field of row.keys()) {
    if (field !== 'ptype' && !known.includes(field)) faults.push({ field, message: `is not a field of a ${ptype} row` })
  }
  const value = parseFields(ptype, row, check, faults)
  return value === undefined || faults.length > 0 ? { ok: false, faults } : { ok: true, value }
}

const parseFields = (
  ptype: PolicyRow['ptype'],
  row: ReadonlyMap<string, unknown>,
  check: ReturnType<typeof checker>['check'],
  faults: Fault[],
): PolicyRow | undefined => {
  if (ptype === 'p') {
    const priority = check('priority', row.get('priority'), isPriority, 'must be an integer from 1 to 999,999,999')
    const rule = check('rule', row.get('rule'), isRule, 'must be a label: [A-Z][A-Z0-9-]{0,15}')
    const role = check('role', row.get('role'), isRoleName, ROLE_RULE)
    const action = check('action', row.get('action'), isActionOrAll, ACTION_RULE)
    const reach = check('reach', row.get('reach'), isReach, 'must be own or any')
    const effect = check('effect', row.get('effect'), isEffect, 'must be allow or deny')
    if (priority === undefined || rule === undefined || role === undefined) return undefined
    if (action === undefined || reach === undefined || effect === undefined) return undefined
    return { ptype, priority, rule, role, action, reach, effect }
  }
  if (ptype === 'p2') {
    const role = check('role', row.get('role'), isRoleName, ROLE_RULE)
    const action = check('action', row.get('action'), isActionOrAll, ACTION_RULE)
    return role === undefined || action === undefined ? undefined : { ptype, role, action }
  }
  const role = check(
    'role',
    row.get('role'),
    isUserRole,
    `${ROLE_RULE}, and not a name of the engine (anonymous, anyone, user)`,
  )
  const inherits = check('inherits', row.get('inherits'), isInherited, `${ROLE_RULE}, or user`)
  if (role === undefined || inherits === undefined) return undefined
  if (role === inherits) {
    faults.push({ field: 'inherits', message: 'must be another role than the one that inherits' })
    return undefined
  }
  return { ptype, role, inherits }
}

/** Parses a row out of its stored or CSV form: the kind and the field texts, in the order of ROW_FIELDS. */
export const parseRowTexts = (ptype: string, texts: readonly string[]): Parsed<PolicyRow> => {
  if (!isPtype(ptype)) return parseRow({ ptype })
  const fields: readonly string[] = ROW_FIELDS[ptype]
  if (texts.length !== fields.length) {
    return {
      ok: false,
      faults: [
        { field: '', message: `a ${ptype} row has the fields ${fields.join(', ')}; this one has ${texts.length}` },
      ],
    }
  }
  const entries = fields.map((field, i): [string, unknown] => {
    const text = texts[i] ?? ''
    // Only the canonical text of an integer becomes a number: `010`, `1e3` and ` 7` stay text, and are refused as such.
    return [field, field === 'priority' && PRIORITY.test(text) ? Number(text) : text]
  })
  return parseRow({ ptype, ...Object.fromEntries(entries) })
}

/** The texts of a row after its ptype, as Casbin and the database hold them. */
export const rowTexts = (row: PolicyRow): string[] => {
  switch (row.ptype) {
    case 'p':
      return [String(row.priority), row.rule, row.role, row.action, row.reach, row.effect]
    case 'p2':
      return [row.role, row.action]
    case 'g':
      return [row.role, row.inherits]
  }
}

/**
 * One text for each distinct row: equal rows have equal keys. The vocabulary holds no comma, so neither does a field.
 */
export const rowKey = (row: PolicyRow): string => `${row.ptype},${rowTexts(row).join(',')}`
