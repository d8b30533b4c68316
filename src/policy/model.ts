import { createHash } from 'node:crypto'

import { newModelFromString, type Model } from 'casbin'

import { messageOf } from '../domain/thrown.js'
import { PolicyError } from './policy-error.js'

/** A checked `model.conf`, and the SHA-256 of its text in hex, which every revision records. */
export interface PolicyModel {
  readonly text: string
  readonly sha256: string
}

const DEFINITIONS = [
  ['r', 'r', 'r_sub,r_act,r_obj'],
  ['r', 'r2', 'r2_role,r2_act'],
  ['p', 'p', 'p_priority,p_rule,p_role,p_action,p_reach,p_eft'],
  ['p', 'p2', 'p2_role,p2_action'],
] as const

const EFFECTS = { e: 'priority(p_eft) || deny', e2: 'some(where (p_eft == allow))' } as const

/**
 * What a matcher may depend on. Decisions are cached for (role, action, relation), so the object matcher may look at
 * the caller's role, at the action, and at whether the record's owner is the caller.
 */
const ALLOWED_TERMS = {
  m: [
    // R5 as a whole, between brackets or logic: half of it would tell callers apart that share a cached decision
    /(?<=\(|&& |\|\| )r_sub\.id != "" && r_obj\.owner_id == r_sub\.id(?=\)| &&| \|\|)/g,
    /r_sub\.role\b/g,
    /r_act\b/g,
    /p_(?:role|action|reach)\b/g,
  ],
  m2: [/r2_role\b/g, /r2_act\b/g, /p2_(?:role|action)\b/g],
} as const

/** What else a matcher may contain: g(), constants, comparison and logic. */
const REST = /^(?:g\(|"[a-z*]*"|==|!=|&&|\|\||[(),!\s])*$/

/**
 * How a matcher must begin. Casbin is given only the rows of these roles and this action (row-index.ts), so no other
 * row may match.
 */
const BEGINNING = {
  m:
    '(p_role == "anyone" || (p_role == "user" && r_sub.role != "anonymous") || g(r_sub.role, p_role)) && ' +
    '(p_action == "*" || p_action == r_act)',
  m2:
    '(p2_role == "anyone" || (p2_role == "user" && r2_role != "anonymous") || g(r2_role, p2_role)) && ' +
    '(p2_action == "*" || p2_action == r2_act)',
} as const

/** Whether a matcher is this beginning, and perhaps further conditions that must hold as well. */
const isStricterThan = (beginning: string, matcher: string): boolean => {
  if (!matcher.startsWith(beginning)) return false
  let further = matcher.slice(beginning.length)
  while (/\([^()]*\)/.test(further)) further = further.replaceAll(/\([^()]*\)/g, '')
  return /^(?: && [^|()]*)?$/.test(further)
}

/**
 * Parses a Casbin model. Throws PolicyError, naming the definition, if decisions could depend on more than the cache
 * key distinguishes: the service must not start with such a model.
 */
export const parseModel = (text: string): PolicyModel => {
  const { model } = casbinModel(text)
  for (const [section, key, tokens] of DEFINITIONS) {
    if (model.get(section)?.get(key)?.tokens.join(',') !== tokens)
      throw new PolicyError(`model.conf: ${key} must be defined as ${tokens.replaceAll(`${key}_`, '')}`)
  }
  for (const [key, effect] of Object.entries(EFFECTS)) {
    if (model.get('e')?.get(key)?.value !== effect)
      throw new PolicyError(`model.conf: ${key} must be ${effect.replaceAll('_', '.')}`)
  }
  for (const key of ['m', 'm2'] as const) {
    const matcher = model.get('m')?.get(key)?.value
    if (matcher === undefined) throw new PolicyError(`model.conf: ${key} is not defined`)
    const rest = ALLOWED_TERMS[key].reduce((left, term) => left.replace(term, ''), matcher)
    if (!REST.test(rest)) {
      const near = rest.replace(/["a-z*()=!&|,\s]*/, '').slice(0, 30)
      throw new PolicyError(
        `model.conf: the matcher ${key} looks at more than role, action and ownership, by which decisions are cached ` +
          `(near "${near}")`,
      )
    }
    if (!isStricterThan(BEGINNING[key], matcher))
      throw new PolicyError(`model.conf: the matcher ${key} must begin with the conditions on role and action`)
  }
  const roles = model.get('g')
  if (roles?.size !== 1 || roles.get('g')?.value !== '_, _')
    throw new PolicyError('model.conf: exactly one role definition, g = _, _, is expected')
  return Object.freeze({ text, sha256: createHash('sha256').update(text).digest('hex') })
}

/** A new Casbin model from the text. Throws PolicyError if Casbin cannot read it. */
export const casbinModel = (text: string): Model => {
  try {
    return newModelFromString(text)
  } catch (error) {
    throw new PolicyError(`model.conf: ${messageOf(error)}`)
  }
}
