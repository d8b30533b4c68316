import type { Statement } from './statement.js'

/**
 * Who changes something, and what allowed it: what the database proves before it lets them (promise 1), and sets for
 * row-level security.
 */
export interface Entering {
  /** the database role that the transaction becomes */
  readonly role: string
  /** whose rows they are; null: nobody's, or under a role that reaches all of them nobody's in particular */
  readonly userId: string | null
  /** the revision of the policy that was decided under */
  readonly revision: number
  /** what the log keeps of the decision; the database adds the record's name and the time */
  readonly decision: Readonly<Record<string, unknown>>
  /** the caller as the decision knew them; null where it was made for nobody */
  readonly caller: {
    readonly role: string
    readonly signIn: string | null
    readonly issuer: string | null
    readonly subject: string | null
  } | null
}

/** A value of a change; undefined where its form has no place for it. */
export type ChangeValue = string | number | null | undefined

/** A statement that changes one row, or as many of them as there are values for. Either answers the changed rows. */
export interface ChangeForm {
  readonly name: string
  readonly one: (values: Readonly<Record<string, ChangeValue>>) => Statement
  readonly many: (values: readonly Readonly<Record<string, ChangeValue>>[]) => Statement
}

/**
 * A change of the link under one code, or of the one that gets it; the row that its form answers has it as its `code`.
 */
export interface Change {
  readonly code: string
  readonly entering: Entering
  /** the role under which the form changes many, each its own caller's (migrations/0013) */
  readonly roleOfMany: string
  readonly form: ChangeForm
  readonly values: Readonly<Record<string, ChangeValue>>
}

/**
 * The statement before one that changes something: raises LG001 where the revision was replaced, LG007 where the caller
 * is no longer as they were.
 */
export const enterChange = ({ role, userId, revision, decision, caller }: Entering): Statement => ({
  name: 'enter_change',
  text: 'select enter_change($1, $2, $3, $4, $5, $6, $7, $8)',
  values: [
    role,
    userId,
    revision,
    JSON.stringify(decision),
    caller?.role ?? null,
    caller?.signIn ?? null,
    caller?.issuer ?? null,
    caller?.subject ?? null,
  ],
})

/**
 * The same before a statement that makes many changes, no two of one code and all of one form: raises it where one of
 * them does not hold.
 */
export const enterChanges = (changes: readonly Change[]): Statement => {
  const callers = new Map<string, readonly (string | null)[]>()
  for (const {
    entering: { userId, caller },
  } of changes) {
    if (caller === null) continue
    const proven = [userId, caller.role, caller.signIn, caller.issuer, caller.subject]
    callers.set(JSON.stringify(proven), proven)
  }
  const proven = [...callers.values()]
  return {
    name: 'enter_changes',
    text: 'select enter_changes($1, $2, $3, $4, $5, $6, $7, $8, $9)',
    values: [
      changes[0]?.roleOfMany,
      [...new Set(changes.map(({ entering }) => entering.revision))],
      JSON.stringify(changes.map(({ code, entering }) => ({ ...entering.decision, resource_code: code }))),
      JSON.stringify(Object.fromEntries(changes.map(({ code, entering }) => [code, entering.userId]))),
      ...[0, 1, 2, 3, 4].map((column) => proven.map((each) => each[column])),
    ],
  }
}
