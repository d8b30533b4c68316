import { createHash } from 'node:crypto'

import { newModelFromString } from 'casbin'
import type { Model } from 'casbin'

import { PolicyError } from './policy-error.js'

/** `model.conf` after it was checked: its text, and the SHA-256 of the text in hex, which every revision records. */
export interface PolicyModel {
  readonly text: string
  readonly sha256: string
}

const DEFINITIONS: readonly (readonly [section: string, key: string, tokens: string])[] = [
  ['r', 'r', 'r_sub,r_act,r_obj'],
  ['r', 'r2', 'r2_role,r2_act'],
  ['p', 'p', 'p_priority,p_rule,p_role,p_action,p_reach,p_eft'],
  ['p', 'p2', 'p2_role,p2_action'],
]

const EFFECTS: readonly (readonly [key: string, effect: string])[] = [
  ['e', 'priority(p_eft) || deny'],
  ['e2', 'some(where (p_eft == allow))'],
]

/**
 * What a matcher may look at. A decision is remembered for (role, action, relation), so the object matcher may see
 * the caller's role, the action, and whether the caller has an id that is the record's owner - nothing more.
 */
const ALLOWED_TERMS: Readonly<Record<'m' | 'm2', readonly RegExp[]>> = {
  // R5 as one unit between brackets or logic: either half alone would tell callers apart that are remembered as one
  m: [
    /(?<=\(|&& |\|\| )r_sub\.id != "" && r_obj\.owner_id == r_sub\.id(?=\)| &&| \|\|)/g,
    /r_sub\.role\b/g,
    /r_act\b/g,
    /p_(?:role|action|reach)\b/g,
  ],
  m2: [/r2_role\b/g, /r2_act\b/g, /p2_(?:role|action)\b/g],
}

/** What may be left of a matcher when those terms are taken out: g(), constants, comparison and logic. */
const REST = /^(?:g\(|"[a-z*]*"|==|!=|&&|\|\||[(),!\s])*$/

/**
 * Reads a Casbin model and checks that what the engine remembers is all that the model can depend on.
 * Throws PolicyError, naming the definition, where the model is not of that kind: the service must not start on it.
 */
export const parseModel = (text: string): PolicyModel => {
  const model = casbinModel(text)
  for (const [section, key, tokens] of DEFINITIONS) {
    const found = model.model.get(section)?.get(key)?.tokens.join(',')
    if (found !== tokens)
      throw new PolicyError(`model.conf: ${key} must be defined as ${tokens.replaceAll(`${key}_`, '')}`)
  }
  for (const [key, effect] of EFFECTS) {
    if (model.model.get('e')?.get(key)?.value !== effect)
      throw new PolicyError(`model.conf: ${key} must be ${effect.replaceAll('_', '.')}`)
  }
  for (const key of ['m', 'm2'] as const) {
    const matcher = model.model.get('m')?.get(key)?.value
    if (matcher === undefined) throw new PolicyError(`model.conf: ${key} is not defined`)
    const rest = ALLOWED_TERMS[key].reduce((left, term) => left.replace(term, ''), matcher)
    if (!REST.test(rest)) {
      throw new PolicyError(
        `model.conf: the matcher ${key} looks at more than role, action and ownership, which is all that a remembered decision depends on (near "${rest.replace(/["a-z*()=!&|,\s]*/, '').slice(0, 30)}")`,
      )
    }
  }
  const roles = model.model.get('g')
  if (roles?.size !== 1 || roles.get('g')?.value !== '_, _')
    throw new PolicyError('model.conf: exactly one role definition, g = _, _, is expected')
  return Object.freeze({ text, sha256: createHash('sha256').update(text).digest('hex') })
}

/** A fresh Casbin model of the text. Throws PolicyError where Casbin cannot read it. */
export const casbinModel = (text: string): Model => {
  try {
    return newModelFromString(text)
  } catch (error) {
    throw new PolicyError(`model.conf: ${error instanceof Error ? error.message : 'cannot be read'}`)
  }
}
