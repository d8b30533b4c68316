import { InvalidArgumentError, Option } from 'commander'

import { isAction } from '../domain/action.js'
import { positiveIntegerIn } from '../domain/positive-integer.js'
import { isCallerRole } from '../domain/role.js'
import { isEmail } from '../domain/user.js'

/** A parser for commander, where undefined is a usage error. The rule completes the sentence "It …". */
export const parsed =
  <T>(parse: (text: string) => T | undefined, rule: string) =>
  (text: string): T => {
    const value = parse(text)
    if (value === undefined) throw new InvalidArgumentError(`It ${rule}.`)
    return value
  }

/** Takes valid text as it is. */
export const checked = (isValid: (text: string) => boolean, rule: string) =>
  parsed((text) => (isValid(text) ? text : undefined), rule)

export const count = (max: number, rule = `must be a number from 1 to ${max}`) =>
  parsed((text) => {
    const value = positiveIntegerIn(text)
    return value === null || value > max ? undefined : value
  }, rule)

export const action = checked(isAction, 'must be <resource>:<verb>, such as link:delete')

/** Whose decisions are asked for, whether or not a row names the role. */
export const callerRole = checked(isCallerRole, 'must be a role, user for any other role, or anonymous')

export const email = checked(isEmail, 'must be one e-mail address in ASCII, such as ada@example.com')

export const revision = count(1e15, 'must be the number of a revision')

/** A reason, for a history. */
export const reason = parsed((text) => {
  const trimmed = text.trim()
  return trimmed === '' || trimmed.length > 1_000 ? undefined : trimmed
}, 'must say why, in 1 to 1,000 characters')

/** For `--option a --option b`. */
export const collect = (value: string, previous: readonly string[] = []): readonly string[] => [...previous, value]

export const jsonOption = () => new Option('--json', 'print JSON').conflicts('csv')
